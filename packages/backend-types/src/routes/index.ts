/** Every REST route of the hub below `/api/v1`, by the name that the OpenAPI document gives it (`operationId`), and the login routes. */
import { accountRoutes } from './account-routes'
import { agentRoutes } from './agent-routes'
import { busRoutes } from './bus-routes'
import { channelRoutes } from './channel-routes'
import { derivedRoutes } from './derived-routes'
import { hubRoutes } from './hub-routes'
import { peopleRoutes } from './people-routes'
import { runRoutes } from './run-routes'
import { sessionRoutes } from './session-routes'
import { treeRoutes } from './tree-routes'
import { webhookRoutes } from './webhook-routes'

export {
  type LoginAnswer,
  type LoginBody,
  type LoginBodyRead,
  type LoginPath,
  type LoginRouteSpec,
  type LoginWho,
  loginRoutes,
} from './login-routes'
export { fillPath, needsKey, type RouteIds, type RouteSpec, type RouteTable, routeIds } from './route'
export {
  accountRoutes,
  agentRoutes,
  busRoutes,
  channelRoutes,
  derivedRoutes,
  hubRoutes,
  peopleRoutes,
  runRoutes,
  sessionRoutes,
  treeRoutes,
  webhookRoutes,
}

export const routes = {
  ...hubRoutes,
  ...agentRoutes,
  ...sessionRoutes,
  ...treeRoutes,
  ...runRoutes,
  ...peopleRoutes,
  ...accountRoutes,
  ...busRoutes,
  ...webhookRoutes,
  ...channelRoutes,
  ...derivedRoutes,
}

export type RouteName = keyof typeof routes
