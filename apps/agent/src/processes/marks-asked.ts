/** The messages to and from the helper that reads environments. */

/** The helper's threads of libuv. So many processes may keep a thread waiting before all others wait too. */
export const READS_AT_ONCE = 16

export interface MarksAsked {
  pids: number[]
  /** Variables of the environment. */
  names: string[]
}

/** The requested variables that a process has. */
export type Marks = Readonly<Record<string, string>>

/** `ready` once, then one for each process, and `done` or why it could not. */
export type MarksLine = { ready?: true; pid?: number; marks?: Marks; done?: true; failed?: string }
