/**
 * Says on the bus that a session has ended that no machine took: its machine refused it, or its time was over (RUN-3.6). Such a session
 * has no log, and only its command says so (BUS-13). Level-triggered: a hub that died looks at all of them when it starts. The id of the
 * message comes from the session, so the same end is not said again.
 */

import { KEPT_DAYS } from '../bus/peers/bus-clock'
import { endBeside } from '../bus/sessions/session-facts'
import type { Doorbells } from '../doorbells/doorbells'
import type { BusStore } from '../ports/bus-store'
import type { CommandRow } from '../ports/command-store'
import type { Reads } from '../ports/stores'
import { isRefused } from '../views/view'
import type { WriteAsHub } from '../writes/write-as'

interface RefusedWatchDeps {
  bus: Pick<BusStore, 'appendIn'>
  doorbells: Pick<Doorbells, 'ring'>
  now: () => number
  reads: Pick<Reads, 'commands' | 'sessions'>
  writeAsHub: WriteAsHub
  keptDays?: number | undefined
}

const DAY_MS = 24 * 3_600_000
/** In one transaction. */
const AT_ONCE = 50

export class RefusedWatch {
  readonly #deps: RefusedWatchDeps
  /** No machine has taken them yet; true: looked at again by the next tick. */
  readonly #open = new Map<string, boolean>()
  /** A machine took them, or their end was said. */
  readonly #settled = new Set<string>()
  /** Are being looked at, and nothing changed since. */
  #unchanged: Set<string> = new Set()

  constructor(deps: RefusedWatchDeps) {
    this.#deps = deps
  }

  /** Its view changed. */
  changed(sessionId: string): void {
    this.#unchanged.delete(sessionId)
    if (this.#open.has(sessionId)) this.#open.set(sessionId, true)
  }

  async tick(): Promise<void> {
    const shown = new Set(await this.#deps.reads.commands.sessionsShown())
    for (const sessionId of this.#settled) if (!shown.has(sessionId)) this.#settled.delete(sessionId)
    for (const sessionId of this.#open.keys()) if (!shown.has(sessionId)) this.#open.delete(sessionId)
    const due = [...shown].filter((id) => !this.#settled.has(id) && this.#open.get(id) !== false)
    for (let from = 0; from < due.length; from += AT_ONCE) await this.#look(due.slice(from, from + AT_ONCE))
  }

  async #look(sessionIds: readonly string[]): Promise<void> {
    const { commands, sessions } = this.#deps.reads
    this.#unchanged = new Set(sessionIds)
    const [heads, shown] = await Promise.all([sessions.heads(sessionIds), commands.shownOfMany(sessionIds)])
    const refused: string[] = []
    for (const sessionId of sessionIds) {
      const commands = shown.get(sessionId) ?? []
      const head = heads.get(sessionId)
      const create = commands.find(({ kind }) => kind === 'session.create')
      if (!create || head?.committed !== 0) this.#settle(sessionId)
      else if (!isRefused(head, commands)) this.#open.set(sessionId, !this.#unchanged.has(sessionId))
      else if (this.#isToSay(create)) refused.push(sessionId)
      else this.#settle(sessionId)
    }
    if (refused.length === 0) return
    await this.#say(refused)
    for (const sessionId of refused) this.#settle(sessionId)
  }

  /** Of one that this hub process did not see waiting, only while the message of before would still be there. */
  #isToSay({ sessionId, createdAt }: CommandRow): boolean {
    const { now, keptDays = KEPT_DAYS } = this.#deps
    return this.#open.has(sessionId) || createdAt > now() - keptDays * DAY_MS
  }

  async #say(sessionIds: readonly string[]): Promise<void> {
    const { bus, doorbells, now, writeAsHub } = this.#deps
    await writeAsHub(async (tx) => {
      const rows = []
      for (const sessionId of sessionIds) {
        const session = await tx.sessions.find(sessionId)
        if (session) rows.push(endBeside({ sessionId, agentId: session.agentId, why: 'failed', now: now() }))
      }
      await bus.appendIn(tx, { rows })
    })
    doorbells.ring('bus', {})
  }

  #settle(sessionId: string): void {
    this.#open.delete(sessionId)
    this.#settled.add(sessionId)
  }
}
