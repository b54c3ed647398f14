/**
 * Queries of a session's program, by the methods of the bridge (CMD-11). What only reads is a question to the machine, and
 * nothing of it is stored. What changes something is the command that changes it anyway, with its rights, its audit row and its
 * place in the order: there is no second way.
 */
import { CodedError, type CommandMade, type QueryReply, type QueryRequest, ReadQuery } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import { PersonPace } from '../common/person-pace'
import type { Presence } from '../machines/presence'
import type { Reads } from '../ports/stores'
import { requireQuery } from './require-supported'
import type { SessionCommandsApi } from './session-commands'
import { requireSessionFor } from './session-pages'

interface SessionQueriesDeps {
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
  presence: Presence
  reads: Pick<Reads, 'machines' | 'sessions'>
}

export interface SessionQueriesApi {
  query(actor: Actor, sessionId: string, request: QueryRequest, idempotencyKey: string): Promise<QueryReply>
}

type Changes = Pick<SessionCommandsApi, 'configure' | 'rewindFiles'>
type ChangeRequest = Extract<QueryRequest, { args: unknown[] }>

/** A program is asked anew each time. */
const asked = { burst: 20, perSecond: 2 }

export function createSessionQueries(deps: SessionQueriesDeps, commands: Changes): SessionQueriesApi {
  const pace = new PersonPace(asked, deps.elapsed)

  async function ask(actor: Actor, sessionId: string, method: ReadQuery): Promise<QueryReply> {
    const session = await requireSessionFor(deps, actor, 'session.prompt', sessionId)
    pace.require(actor)
    requireQuery(await deps.reads.machines.findWithManifest(session.agentId), session.backend, method)
    const answer = await deps.presence.ask(session.agentId, { kind: 'query', sessionId, method })
    // A machine is not trusted to answer what it was asked.
    if (answer.method === method) return answer
    throw new CodedError('BACKEND_ERROR', 'The machine gave an answer to another question.')
  }

  function change(actor: Actor, sessionId: string, request: ChangeRequest, key: string): Promise<CommandMade> {
    switch (request.method) {
      case 'setModel':
        return commands.configure(actor, sessionId, { model: only(request.args) }, key)
      case 'setPermissionMode':
        return commands.configure(actor, sessionId, { mode: only(request.args) }, key)
      case 'setMaxThinkingTokens':
        return commands.configure(actor, sessionId, { maxThinkingTokens: only(request.args) }, key)
      case 'rewindFiles':
        return commands.rewindFiles(actor, sessionId, only(request.args), key)
    }
  }

  return {
    query: async (actor, sessionId, request, key) => {
      if (isRead(request)) return ask(actor, sessionId, request.method)
      const command = await change(actor, sessionId, request, key)
      return { method: request.method, result: null, command }
    },
  }
}

/** Its schema has exactly one. */
const only = <T>(args: readonly T[]): T => args[0] as T

const isRead = (request: QueryRequest): request is Exclude<QueryRequest, ChangeRequest> =>
  ReadQuery.options.some((method) => method === request.method)
