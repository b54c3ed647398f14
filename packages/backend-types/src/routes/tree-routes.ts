/** Trees of sessions: who lets a session start others, and the end of all of them. */
import { SessionSummary } from '../session/session'
import { SpawningRequest, TreeStopped } from '../session/tree'
import type { RouteTable } from './route'

const gone = ['SESSION_NOT_FOUND', 'SESSION_DELETED'] as const

export const treeRoutes = {
  setSpawning: {
    method: 'post',
    path: '/sessions/:sessionId/spawning',
    tag: 'sessions',
    summary: 'Let the program of a session start other sessions within a budget, or no more',
    body: SpawningRequest,
    answer: SessionSummary,
    errors: [...gone, 'SESSION_ENDED', 'TREE_STOPPED', 'TREE_LIMIT'],
    access: 'person',
  },
  stopTree: {
    method: 'post',
    path: '/sessions/:sessionId/stop-tree',
    tag: 'sessions',
    summary: 'End all sessions of the tree to which the session belongs',
    answer: TreeStopped,
    status: 202,
    errors: gone,
  },
} as const satisfies RouteTable
