/** One REST route as data. The hub's handlers, the client and the OpenAPI document are made from the same table. */
import type { z } from 'zod'
import type { ErrorCode } from '../common/errors'

export interface RouteSpec {
  method: 'get' | 'post' | 'patch' | 'delete'
  /** Under `/api/v1`, with `:name` for ids. */
  path: string
  summary: string
  tag: string
  query?: z.ZodType
  /** JSON. */
  body?: z.ZodType
  /** The body is a file and not JSON: its limit in bytes, and what a larger one is called. */
  upload?: { readonly limit: number; readonly tooLarge: ErrorCode }
  /** JSON. Absent where the answer is a file. */
  answer?: z.ZodType
  /** The answer is a file. */
  download?: true
  /** 200 unless told. */
  status?: 200 | 201 | 202
  /** Besides `AUTH_REQUIRED`, `FORBIDDEN` and what every route may answer. */
  errors?: readonly ErrorCode[]
  /**
   * Absent: somebody who is signed in, or a program with a token of theirs. `person`: only the person, since it is about their own
   * account or for their eyes. `open`: no login is needed.
   */
  access?: 'open' | 'person'
}

export type RouteTable = Record<string, RouteSpec>
