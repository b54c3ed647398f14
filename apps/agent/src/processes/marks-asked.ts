/** The messages to and from the helper that reads environments. */

/** Of libuv's threads in the helper: so many processes may keep one waiting before the others wait with them. */
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
