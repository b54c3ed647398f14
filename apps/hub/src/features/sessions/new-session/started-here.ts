/** The session that this page has just started, until its composer has opened. */
let started: string | null = null

export const startedHere = {
  note(sessionId: string): void {
    started = sessionId
  },
  take(sessionId: string): boolean {
    const isThis = started === sessionId
    if (isThis) started = null
    return isThis
  },
}
