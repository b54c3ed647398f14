import type { HostState } from '@roundhouse/backend-types'

/** One that has a place among the running programs, or is about to get one. */
export interface RunningSession {
  sessionId: string
  starting: boolean
  state: HostState | null
  /** Asks an idle host to end. False when it turned out to be busy. */
  retire(): Promise<boolean>
}
