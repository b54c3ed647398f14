/** How people read what is made from transcripts: by the names of the routes, each with the actor, and the query and ids that the route checked. */
import type { derivedRoutes, RouteIds, RouteName, routes } from '@roundhouse/backend-types'
import type { z } from 'zod'
import type { Actor } from '../access/access'

type Table = typeof routes
type QueryOf<Route> = Route extends { query: infer S extends z.ZodType } ? z.output<S> : undefined
type AnswerOf<Route> = Route extends { answer: infer S extends z.ZodType } ? z.input<S> : never

interface Asked<Route> {
  query: QueryOf<Route>
  id: Record<Route extends { path: infer Path extends string } ? RouteIds<Path> : never, string>
}

export type RouteAnswers<Name extends RouteName> = {
  [N in Name]: (actor: Actor, asked: Asked<Table[N]>) => Promise<AnswerOf<Table[N]>>
}

/** A new row of the table is an error in `createDerived` until something answers it. */
export type DerivedAnswers = RouteAnswers<keyof typeof derivedRoutes>
