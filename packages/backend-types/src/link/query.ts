/** `POST /sessions/:sessionId/query`: method and arguments as the published bridge protocol has them (CMD-11). */
import { z } from 'zod'
import { QueryAnswer, ThinkingTokens } from '../adapter/queries'
import { Id } from '../common/ids'
import { CommandMade } from './rest'

const NoArgs = z.array(z.unknown()).max(0).optional()
const one = <T extends z.ZodType>(argument: T) => z.array(argument).min(1).max(1)
const Code = z.string().min(1).max(200)

export const QueryRequest = z.discriminatedUnion('method', [
  z.object({ method: z.literal('supportedModels'), args: NoArgs }),
  z.object({ method: z.literal('supportedCommands'), args: NoArgs }),
  z.object({ method: z.literal('mcpServerStatus'), args: NoArgs }),
  z.object({ method: z.literal('accountInfo'), args: NoArgs }),
  z.object({ method: z.literal('setModel'), args: one(Code) }),
  z.object({ method: z.literal('setPermissionMode'), args: one(Code) }),
  z.object({ method: z.literal('setMaxThinkingTokens'), args: one(ThinkingTokens) }),
  /** The `promptId` of the `user_message` to go back to. */
  z.object({ method: z.literal('rewindFiles'), args: one(Id) }),
])
export type QueryRequest = z.infer<typeof QueryRequest>

const changed = { result: z.literal(null), command: CommandMade }

/** A method that changes something is a command, whose result comes back through the log. */
export const QueryReply = z.discriminatedUnion('method', [
  ...QueryAnswer.options,
  z.object({ method: z.literal('setModel'), ...changed }),
  z.object({ method: z.literal('setPermissionMode'), ...changed }),
  z.object({ method: z.literal('setMaxThinkingTokens'), ...changed }),
  z.object({ method: z.literal('rewindFiles'), ...changed }),
])
export type QueryReply = z.infer<typeof QueryReply>
