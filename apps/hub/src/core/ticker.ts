/**
 * Runs once a second the work that no event triggers: expiry (CMD-4), rights changed by another process (JOIN-3), lazy
 * views, old answers, images that no prompt used, and the remains of deleted transcripts.
 */

import type { SteadyClock } from '@roundhouse/delivery'
import type { BusClock } from './bus/peers/bus-clock'
import type { CommandPump } from './commands/command-pump'
import { eachApart, throwFirst } from './common/each-apart'
import type { Log } from './common/log'
import { VersionWatch } from './common/version-watch'
import type { Changes } from './doorbells/changes'
import type { LogFollower } from './followers/log-follower'
import type { AuditHeads } from './link/audit-heads'
import type { Presence } from './machines/presence'
import type { ImageStore } from './ports/image-store'
import { isTold, type StoragePort } from './ports/storage-port'
import type { Reads, Transactions } from './ports/stores'
import type { Erasing } from './sessions/erasing'
import { UNUSED_IMAGES_KEPT_MS } from './sessions/images'
import { ANSWERS_KEPT_MS } from './writes/once'

interface TickerDeps {
  auditHeads: AuditHeads
  busClock: BusClock
  changes: Changes
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
  erasing: Erasing
  followers: readonly LogFollower[]
  images: ImageStore
  log: Log
  presence: Presence
  pump: CommandPump
  reads: Pick<Reads, 'hub' | 'machines'>
  /** The clock for deletions by age. */
  steady: SteadyClock
  storage: StoragePort
  transactions: Transactions
  /** Trees, runs, answers to asks, webhooks: each does what is due. */
  watches: Readonly<Record<string, () => Promise<void>>>
}

const HOUR_MS = 3_600_000

export class Ticker {
  readonly #deps: TickerDeps
  readonly #revocations: VersionWatch
  readonly #rights: VersionWatch
  #cleanedAt: number
  /** Steps whose failure was logged: a full disk produces one line. */
  readonly #failing = new Set<string>()
  #running: Promise<void> = Promise.resolve()

  constructor(deps: TickerDeps) {
    this.#deps = deps
    const { hub } = deps.reads
    this.#revocations = new VersionWatch(() => hub.revocationVersion())
    this.#rights = new VersionWatch(() => hub.rightsVersion())
    this.#cleanedAt = deps.elapsed()
  }

  tick(): Promise<void> {
    this.#running = this.#running.then(() => this.#once())
    return this.#running
  }

  idle(): Promise<void> {
    return this.#running
  }

  /** A failing step is logged, retried at the next tick, and stops no other step. */
  async #once(): Promise<void> {
    const { changes, pump, auditHeads, erasing, followers, storage } = this.#deps
    await this.#step('the storage', () => storage.tick())
    await this.#step('lines of lists', () => changes.tick())
    await this.#step('rights of machines', () => this.#enforceRights())
    await this.#step('rights of authors', () => this.#reviewCommands())
    await this.#step('commands', () => pump.tick())
    await this.#step('heads of the audit log', () => auditHeads.tick())
    await this.#step('deleted transcripts', () => erasing.tick())
    await this.#step('followers of the log', () => {
      for (const follower of followers) follower.tick()
    })
    await this.#step('peers of the bus', () => this.#deps.busClock.tick())
    for (const [what, tick] of Object.entries(this.#deps.watches)) await this.#step(what, tick)
    await this.#step('what is old', () => this.#forgetOld())
  }

  async #step(what: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await work()
      this.#failing.delete(what)
    } catch (error) {
      if (!this.#failing.has(what) && !isTold(error))
        this.#deps.log.error({ error: String(error), what }, 'a tick failed')
      this.#failing.add(what)
    }
  }

  async #forgetOld(): Promise<void> {
    const { steady, elapsed, transactions, images } = this.#deps
    if (elapsed() - this.#cleanedAt < HOUR_MS) return
    await transactions.write((tx) => tx.answers.forgetBefore(steady.now() - ANSWERS_KEPT_MS))
    await images.forgetUnused(steady.now() - UNUSED_IMAGES_KEPT_MS)
    this.#cleanedAt = elapsed()
  }

  /** One number tells whether anybody's rights changed. Only then the agents are checked. */
  #enforceRights(): Promise<void> {
    return this.#revocations.whenMoved(async () => {
      const { reads, presence, changes } = this.#deps
      const errors = await eachApart(presence.agentIds(), async (agentId) => {
        const connected = presence.current(agentId)
        const state = await reads.machines.state(agentId)
        if (state === 'active') return
        const code = state === 'revoked' ? 'AGENT_REVOKED' : 'AGENT_DISABLED'
        connected?.link.close({ code, message: `This machine was ${state ?? 'removed'}.` })
        changes.agent(agentId)
      })
      throwFirst(errors)
    })
  }

  /** AUTH-1: waiting commands are checked when they are sent, and here if anybody's rights changed. */
  #reviewCommands(): Promise<void> {
    return this.#rights.whenMoved(() => this.#deps.pump.review())
  }
}
