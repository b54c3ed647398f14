/** What the translator wants done. The session carries it out, in order. */
import type { Report, RpcId } from '@roundhouse/adapter-kit'
import { type BackendOutput, type BackgroundFinished, backgroundFinished } from '@roundhouse/backend-types'

export type Effect =
  | Report
  /** A request of Codex that no person can answer. */
  | { type: 'refuse'; id: RpcId; message: string }
  /** A command that an ended turn left running and that must not go on. */
  | { type: 'terminate'; threadId: string; callId: string }
  /** The model is asked with a prompt that was given for the running turn under this id. */
  | { type: 'prompt_begins'; id: string }

export const output = (value: BackendOutput): Report => ({ type: 'output', output: value })
export const system = (subtype: string, data: unknown): Report => output({ kind: 'system', subtype, data })
export const finished = (data: BackgroundFinished): Effect => system(backgroundFinished, data)
export const raw = (payload: unknown): Effect => output({ kind: 'raw', backend: 'codex', payload })

/** Nested output names the call that started its sub-agent; the main thread has no parent. */
export const nested = (parentCallId: string | undefined) => (parentCallId === undefined ? {} : { parentCallId })
