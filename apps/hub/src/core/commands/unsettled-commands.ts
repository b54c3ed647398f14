/**
 * Accepted commands whose end no event tells (CMD-3). The machine's word about it may be lost: its host died over the command,
 * or the daemon before it could pass it on. So the hub asks again, with the command itself: a machine that has it answers
 * with what became of it, and runs nothing twice (CMD-2).
 */
const ASKED_AFTER_MS = 30_000
const ASKED_AGAIN_MS = 60_000
/** At once; the others come next time. */
const MOST = 50

export interface Unsettled {
  commandId: string
  agentId: string
}

export class UnsettledCommands<Row extends Unsettled> {
  readonly #askedAt = new Map<string, number>()

  /** `made`: accepted ones that were made before this moment by the hub's clock. */
  constructor(private readonly deps: { made: (before: number) => Row[]; now: () => number; elapsed: () => number }) {}

  /** Those of machines that can be asked now, each once a minute. */
  due(canAsk: (row: Row) => boolean): Row[] {
    const { made, now, elapsed } = this.deps
    const rows = made(now() - ASKED_AFTER_MS)
    const known = new Set(rows.map(({ commandId }) => commandId))
    for (const commandId of this.#askedAt.keys()) if (!known.has(commandId)) this.#askedAt.delete(commandId)
    const isDue = ({ commandId }: Row) =>
      elapsed() - (this.#askedAt.get(commandId) ?? Number.NEGATIVE_INFINITY) >= ASKED_AGAIN_MS
    const due = rows.filter((row) => isDue(row) && canAsk(row)).slice(0, MOST)
    for (const { commandId } of due) this.#askedAt.set(commandId, elapsed())
    return due
  }
}
