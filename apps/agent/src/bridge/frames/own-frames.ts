/** Which lines of a program that speaks Claude's language the client sees, unchanged. Pure. */
import type { BackendOutput } from '@roundhouse/backend-types'

export type Frame = Record<string, unknown>

/**
 * Between the program and whoever drives it: what is asked by them becomes a callback or a query. `command_lifecycle` speaks of
 * ids that the adapter gave to prompts, and the SDK has no such message.
 */
const between = new Set([
  'control_request',
  'control_response',
  'control_cancel_request',
  'keep_alive',
  'command_lifecycle',
])

export function ownFrame(output: BackendOutput): Frame | null {
  if (output.kind !== 'raw') return null
  const { payload } = output
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return null
  const frame = payload as Frame
  return typeof frame.type === 'string' && !between.has(frame.type) ? frame : null
}
