/** What a call of each route takes and gives, as the table of routes says, and the HTTP request that it becomes. */
import { fillPath, needsKey, type RouteIds, type RouteName, type RouteSpec, routes } from '@roundhouse/backend-types'
import type { z } from 'zod'
import type { RequestOptions } from './transport'

type Table = typeof routes

type Required<S extends z.ZodType> = {
  [K in keyof z.input<S>]-?: object extends Pick<z.input<S>, K> ? never : K
}[keyof z.input<S>]

/** As the hub reads it, with what it fills in left out. */
type QueryOf<S extends z.ZodType> = Pick<z.output<S>, Required<S> & keyof z.output<S>> & Partial<z.output<S>>

type Ids<R> = R extends { path: infer Path extends string }
  ? [RouteIds<Path>] extends [never]
    ? unknown
    : { id: Record<RouteIds<Path>, string> }
  : never

type Query<R> = R extends { query: infer S extends z.ZodType }
  ? Required<S> extends never
    ? { query?: QueryOf<S> }
    : { query: QueryOf<S> }
  : unknown

type Body<R> = R extends { body: infer S extends z.ZodType }
  ? { body: z.input<S> }
  : R extends { upload: object }
    ? { file: Uint8Array<ArrayBuffer> }
    : unknown

/** What the caller of a route says. `key` is its idempotency key, made where it is not given. */
export type Asked<N extends RouteName> = Ids<Table[N]> &
  Query<Table[N]> &
  Body<Table[N]> & { key?: string | undefined; signal?: AbortSignal | undefined }

/** Left out where there is nothing to say. */
export type Arguments<N extends RouteName> = object extends Asked<N> ? [asked?: Asked<N>] : [asked: Asked<N>]

export type JsonRoute = { [N in RouteName]: Table[N] extends { answer: z.ZodType } ? N : never }[RouteName]
export type FileRoute = { [N in RouteName]: Table[N] extends { download: true } ? N : never }[RouteName]
export type Answer<N extends JsonRoute> = z.output<Table[N]['answer']>

export interface RouteRequest {
  route: RouteSpec
  method: string
  path: string
  options: RequestOptions
}

interface AnyAsked {
  id?: Record<string, string>
  query?: RequestOptions['query']
  body?: unknown
  file?: Uint8Array<ArrayBuffer>
  key?: string
  signal?: AbortSignal
}

export function requestOf(name: RouteName, asked: AnyAsked, newKey: () => string): RouteRequest {
  const route: RouteSpec = routes[name]
  const { id = {}, query, file, key, signal } = asked
  const isJson = route.body !== undefined || (route.method === 'post' && !route.upload)
  return {
    route,
    method: route.method.toUpperCase(),
    path: fillPath(route.path, (idName) => encodeURIComponent(id[idName] ?? '')),
    options: {
      ...(query && { query }),
      ...(isJson && { body: asked.body ?? {} }),
      ...(file && { file }),
      ...(needsKey(route) && { idempotencyKey: key ?? newKey() }),
      ...(signal && { signal }),
    },
  }
}
