/**
 * Accepted commands whose end no event reports (CMD-3). The machine's news may be lost if its host or its daemon died.
 * So the hub asks again with the command itself: a machine that has it answers with its result and runs nothing twice
 * (CMD-2).
 */
const ASKED_AFTER_MS = 30_000
/** Doubles each time: a machine that has just come back may know the end a moment later. */
const ASKED_AGAIN_MS = 5_000
const MOST_PAUSE_MS = 60_000
/** How many are asked about at once. The others follow. */
const MOST = 50

export interface Unsettled {
  commandId: string
  agentId: string
}

export class UnsettledCommands<Row extends Unsettled> {
  readonly #asked = new Map<string, { at: number; pauseMs: number }>()

  /** `made` returns accepted commands that were created before this moment, by the hub's clock. */
  constructor(
    private readonly deps: { made: (before: number) => Promise<Row[]>; now: () => number; elapsed: () => number },
  ) {}

  /** Commands of machines that can be asked now. Each is repeated less and less often, down to once a minute. */
  async due(canAsk: (row: Row) => boolean): Promise<Row[]> {
    const { made, now, elapsed } = this.deps
    const rows = await made(now() - ASKED_AFTER_MS)
    const known = new Set(rows.map(({ commandId }) => commandId))
    for (const commandId of this.#asked.keys()) if (!known.has(commandId)) this.#asked.delete(commandId)
    const isDue = ({ commandId }: Row) => {
      const asked = this.#asked.get(commandId)
      return asked === undefined || elapsed() - asked.at >= asked.pauseMs
    }
    const due = rows.filter((row) => isDue(row) && canAsk(row)).slice(0, MOST)
    for (const { commandId } of due) {
      const before = this.#asked.get(commandId)
      const pauseMs = before ? Math.min(2 * before.pauseMs, MOST_PAUSE_MS) : ASKED_AGAIN_MS
      this.#asked.set(commandId, { at: elapsed(), pauseMs })
    }
    return due
  }
}
