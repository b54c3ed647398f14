/** Questions of the composer to a session's machine (CMD-6). Nothing is stored. People who may prompt in the session may ask. */

import type { CommandsReply, FilesReply, Question } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import { PersonPace } from '../common/person-pace'
import type { Presence } from '../machines/presence'
import type { Reads } from '../ports/stores'
import { requireSessionFor } from './session-pages'

interface SessionQuestionsDeps {
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
  presence: Presence
  reads: Pick<Reads, 'sessions'>
}

/** Questions to the session's machine, for a person who writes a prompt (CMD-6). */
export interface SessionQuestionsApi {
  commands(actor: Actor, sessionId: string): Promise<CommandsReply>
  /** Files of its work folder that match what was typed. */
  files(actor: Actor, sessionId: string, query: string): Promise<FilesReply>
}

/** More than a person types. */
const typed = { burst: 40, perSecond: 10 }

export function createSessionQuestions(deps: SessionQuestionsDeps): SessionQuestionsApi {
  const pace = new PersonPace(typed, deps.elapsed)
  const ask = async <Q extends Question>(actor: Actor, sessionId: string, question: Q) => {
    const { agentId } = await requireSessionFor(deps, actor, 'session.prompt', sessionId)
    pace.require(actor)
    return deps.presence.ask(agentId, question)
  }
  return {
    commands: async (actor, sessionId) => ask(actor, sessionId, { kind: 'commands', sessionId }),
    files: async (actor, sessionId, query) => ask(actor, sessionId, { kind: 'files', sessionId, query }),
  }
}
