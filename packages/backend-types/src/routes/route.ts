/** One REST route as data. The hub's handlers, the client and the OpenAPI document derive from the same table. */
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
  /** Its answer may be a machine's, which takes its time: rights are read again before it is sent (AUTH-1). Every `get` is so. */
  asks?: true
  /** JSON. Absent where the answer is a file, or lines alone. */
  answer?: z.ZodType
  /**
   * One JSON object a line, each of this, as they come: for a caller who accepts `application/x-ndjson`, and for everybody where
   * there is no `answer`.
   */
  lines?: z.ZodType
  /** Answers with 202 where the caller does not want to wait. */
  defers?: true
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

/** The names of the ids in a path. */
export type RouteIds<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | RouteIds<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

const idInPath = /:(\w+)/g

export const routeIds = (path: string): string[] => [...path.matchAll(idInPath)].map(([, name]) => name ?? '')

/** The path with `to(name)` in the place of each id. */
export const fillPath = (path: string, to: (name: string) => string): string =>
  path.replace(idInPath, (_, name: string) => to(name))

/** Whether a request needs an `Idempotency-Key` (CMD-1). */
export const needsKey = ({ access, method }: RouteSpec): boolean =>
  access !== 'open' && (method === 'post' || method === 'delete')
