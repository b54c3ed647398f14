/** The handlers of all REST routes: one function for each row of the table of routes. */
import type { RouteIds, RouteName, RouteSpec, routes } from '@roundhouse/backend-types'
import type { z } from 'zod'
import type { Login } from '../../auth/authenticate'
import type { Actor } from '../../core'
import type { Download } from './download'
import type { Lines } from './lines'
import type { Plain } from './plain'

type Table = typeof routes

type Parsed<Route, Part extends string> = Route extends { [P in Part]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined

export interface Call<Route = RouteSpec> {
  actor: Actor
  login: Login
  body: Parsed<Route, 'body'>
  /** The bytes of an upload. */
  bytes: Uint8Array
  query: Parsed<Route, 'query'>
  /** Ids from the path, already checked. */
  id: Record<Route extends { path: infer Path extends string } ? RouteIds<Path> : never, string>
  /** The `Accept` header. */
  accept: string
  /** The `Idempotency-Key` of a POST or DELETE. */
  key: string
  /** The client's address and a few words about its device. */
  address: string
  device: string
}

type Answer<Route> = Route extends { lines: z.ZodType }
  ? Lines | (Route extends { answer: infer S extends z.ZodType } ? Plain<z.input<S> & object> : never)
  : Route extends { answer: infer S extends z.ZodType }
    ? z.input<S>
    : Download

type Handler<Route> = (call: Call<Route>) => Promise<Answer<Route>> | Answer<Route>

/** A new row of the table is an error here until somebody answers it. */
export type Handlers<Name extends RouteName = RouteName> = { [N in Name]: Handler<Table[N]> }
