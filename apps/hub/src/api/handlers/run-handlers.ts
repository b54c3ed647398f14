/** Runs. The caller says how it wants to hear of one: as lines, as the result, or not for now. */
import type { RunView, runRoutes } from '@roundhouse/backend-types'
import type { SessionServices } from '../../core'
import { StreamLimit } from '../limits/stream-limit'
import type { Call, Handlers } from './handlers'
import { Lines } from './lines'
import { Plain } from './plain'

const LIMITS = { perPerson: 16, inAll: 128 }

export function runHandlers({ runs }: Pick<SessionServices, 'runs'>): Handlers<keyof typeof runRoutes> {
  const limit = new StreamLimit(LIMITS)
  /** `find` gives the id of the run; nothing is found, or made, for whoever follows too many. */
  async function follow({ actor }: Pick<Call, 'actor'>, find: () => Promise<string>, told: Told = {}): Promise<Lines> {
    const ended = limit.take(actor)
    try {
      const runId = await find()
      const lots = await runs.follow(actor, runId, told.after)
      const last = told.asResult ? () => runs.get(actor, runId) : undefined
      return new Lines({ lots, ended, headers: placeOf(runId), ...(last ? { last } : {}) })
    } catch (error) {
      ended()
      throw error
    }
  }
  return {
    createRun: async (call) => {
      const { actor, body, query, key, accept } = call
      const create = () => runs.create(actor, body, key)
      if (query.wait === 'true') return follow(call, create, { asResult: !takesLines(accept) })
      const runId = await create()
      return new Plain<RunView>(await runs.get(actor, runId), 202, placeOf(runId))
    },
    listRuns: ({ actor, query }) => runs.list(actor, query),
    getRun: ({ actor, id }) => runs.get(actor, id.runId),
    followRun: (call) => follow(call, async () => call.id.runId, { after: call.query.after }),
    stopRun: ({ actor, id, key }) => runs.stop(actor, id.runId, key),
  }
}

interface Told {
  after?: string | undefined
  asResult?: boolean
}

const placeOf = (runId: string) => ({ location: `/api/v1/runs/${runId}` })

const takesLines = (accept: string): boolean =>
  accept.split(',').some((one) => one.split(';')[0]?.trim().toLowerCase() === 'application/x-ndjson')
