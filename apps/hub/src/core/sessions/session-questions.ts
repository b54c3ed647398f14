/** Questions of the composer to a session's machine (CMD-6). Nothing is stored. People who may prompt in the session may ask. */

import { CodedError, type CommandsReply, type FilesReply, type Question } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import { TokenBucket } from '../common/token-bucket'
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

/** More than a person types, on all of the person's pages together. */
const typed = { burst: 40, perSecond: 10 }
/** How many people are remembered. The person with the oldest question is forgotten first. */
const MOST_PEOPLE = 1_000

export function createSessionQuestions(deps: SessionQuestionsDeps): SessionQuestionsApi {
  const buckets = new Map<string, TokenBucket>()

  function requirePace({ userId }: Actor): void {
    const now = deps.elapsed()
    const bucket = buckets.get(userId) ?? new TokenBucket(typed, now)
    buckets.delete(userId)
    buckets.set(userId, bucket)
    const [oldest] = buckets.keys()
    if (buckets.size > MOST_PEOPLE && oldest !== undefined) buckets.delete(oldest)
    const retryAfterMs = bucket.take(1, now)
    if (retryAfterMs !== 0) throw new CodedError('RATE_LIMITED', undefined, { retryAfterMs: retryAfterMs ?? 1_000 })
  }

  const ask = async <Q extends Question>(actor: Actor, sessionId: string, question: Q) => {
    const { agentId } = await requireSessionFor(deps, actor, 'session.prompt', sessionId)
    requirePace(actor)
    return deps.presence.ask(agentId, question)
  }
  return {
    commands: async (actor, sessionId) => ask(actor, sessionId, { kind: 'commands', sessionId }),
    files: async (actor, sessionId, query) => ask(actor, sessionId, { kind: 'files', sessionId, query }),
  }
}
