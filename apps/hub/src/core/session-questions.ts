/** What the composer asks of a session's machine (CMD-6): nothing is stored. Whoever may prompt in the session may ask. */
import type { Question } from '@roundhouse/backend-types'
import type { Actor } from './access'
import { readCommands } from './answers'
import type { Context } from './context'
import type { SessionQuestionsApi } from './facade'
import { requireSessionFor } from './session-pages'

export function createSessionQuestions(context: Context): SessionQuestionsApi {
  const ask = (actor: Actor, sessionId: string, question: Question): Promise<unknown> => {
    const { agentId } = requireSessionFor(context, actor, 'session.prompt', sessionId)
    return context.presence.ask(agentId, question)
  }
  return {
    commands: async (actor, sessionId) => readCommands(await ask(actor, sessionId, { kind: 'commands', sessionId })),
  }
}
