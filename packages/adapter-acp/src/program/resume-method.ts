/** How a program continues a conversation, by what it says of itself in the reply to `initialize`. Pure. */
import { asRecord, type Json } from '@roundhouse/adapter-kit/read'

/** Prefers the method that does not repeat the history. Undefined: the program cannot resume. */
export function resumeMethod(agentCapabilities: Json): 'session/resume' | 'session/load' | undefined {
  if (asRecord(agentCapabilities.sessionCapabilities).resume !== undefined) return 'session/resume'
  return agentCapabilities.loadSession === true ? 'session/load' : undefined
}
