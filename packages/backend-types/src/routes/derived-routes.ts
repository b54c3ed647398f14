/** What is made from all transcripts, for people to read. `core/derived` of the hub answers each row. There is none yet. */
import type { RouteTable } from './route'

export const derivedRoutes = {} as const satisfies RouteTable
