/** How a program continues a conversation, by what it says of itself in the reply to `initialize`. Pure. */
import { asRecord, type Json } from '@roundhouse/adapter-kit/read'

/** One that does not tell everything again is better. Undefined: it cannot. */
export function resumeMethod(agentCapabilities: Json): 'session/resume' | 'session/load' | undefined {
  if (asRecord(agentCapabilities.sessionCapabilities).resume !== undefined) return 'session/resume'
  return agentCapabilities.loadSession === true ? 'session/load' : undefined
}
