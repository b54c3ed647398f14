/** How a background task of a call ended, according to the log. Pure. */
import type { BackgroundFinished, SessionEventOf } from '@roundhouse/backend-types'

const states = { completed: 'done', failed: 'failed', stopped: 'stopped', program_ended: 'interrupted' } as const

export interface BackgroundEnd {
  callId: string
  state: (typeof states)[keyof typeof states]
  end: Pick<BackgroundFinished, 'exitCode' | 'message' | 'output' | 'outputCut'>
}

/** `null`: the event does not end a background task of a call. */
export function backgroundEnd({ subtype, data }: SessionEventOf<'system'>): BackgroundEnd | null {
  if (subtype !== 'background_finished' && subtype !== 'background_ended') return null
  const { callId, outcome, why, ...end } = (data ?? {}) as BackgroundFinished & { why?: keyof typeof states }
  const state = states[outcome ?? why ?? 'program_ended']
  return callId === undefined || state === undefined ? null : { callId, state, end }
}
