/** Trees of sessions. */
import type { treeRoutes } from '@roundhouse/backend-types'
import type { SessionServices } from '../../core'
import type { Handlers } from './handlers'

export function treeHandlers({ trees }: Pick<SessionServices, 'trees'>): Handlers<keyof typeof treeRoutes> {
  return {
    setSpawning: ({ actor, body, id, key }) => trees.setSpawning(actor, id.sessionId, body, key),
    stopTree: ({ actor, id, key }) => trees.stop(actor, id.sessionId, key),
  }
}
