/** Runs: start a program with one prompt, and hear what came of it. */
import { CommandMade } from '../link/rest'
import { RunEvent, RunEventsQuery, RunRequest, RunStartQuery, RunsList, RunsQuery, RunView } from '../link/runs'
import type { RouteTable } from './route'

const gone = ['SESSION_NOT_FOUND', 'SESSION_DELETED'] as const

export const runRoutes = {
  createRun: {
    method: 'post',
    path: '/runs',
    tag: 'runs',
    summary: 'Start a run; answers with its events as they come, with its result, or at once',
    query: RunStartQuery,
    body: RunRequest,
    answer: RunView,
    lines: RunEvent,
    defers: true,
    asks: true,
    errors: ['NOT_FOUND', 'PROMPT_TOO_LARGE', 'UNSUPPORTED', 'BACKEND_UNAVAILABLE', 'RATE_LIMITED', ...gone],
  },
  listRuns: {
    method: 'get',
    path: '/runs',
    tag: 'runs',
    summary: 'List runs, newest first',
    query: RunsQuery,
    answer: RunsList,
  },
  getRun: {
    method: 'get',
    path: '/runs/:runId',
    tag: 'runs',
    summary: 'Get a run, with its result once it is over',
    answer: RunView,
    errors: gone,
  },
  followRun: {
    method: 'get',
    path: '/runs/:runId/events',
    tag: 'runs',
    summary: 'The events of a run behind a cursor, until it is over',
    query: RunEventsQuery,
    lines: RunEvent,
    errors: [...gone, 'RATE_LIMITED'],
  },
  stopRun: {
    method: 'post',
    path: '/runs/:runId/stop',
    tag: 'runs',
    summary: 'End a run',
    answer: CommandMade,
    status: 202,
    errors: [...gone, 'SESSION_ENDED'],
  },
} as const satisfies RouteTable
