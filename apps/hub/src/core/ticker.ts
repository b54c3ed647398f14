/** Once a second: what no event brings. Expiry (CMD-4), rights changed by another process (JOIN-3), lazy views, old answers. */
import type { Context } from './context'
import { ANSWERS_KEPT_MS } from './once'

const HOUR_MS = 3_600_000

export class Ticker {
  readonly #context: Context
  #revocationVersion: number
  #rightsVersion: number
  #cleanedAt: number
  #running: Promise<void> = Promise.resolve()

  constructor(context: Context) {
    this.#context = context
    this.#revocationVersion = context.reads.revocationVersion()
    this.#rightsVersion = context.reads.rightsVersion()
    this.#cleanedAt = context.now()
  }

  tick(): Promise<void> {
    this.#running = this.#running.then(() => this.#once()).catch((error) => this.#failed(error))
    return this.#running
  }

  idle(): Promise<void> {
    return this.#running
  }

  async #once(): Promise<void> {
    const { changes, pump, now, transactions } = this.#context
    changes.tick()
    this.#enforceRights()
    await this.#reviewCommands()
    await pump.tick()
    this.#context.auditHeads.tick()
    if (now() - this.#cleanedAt < HOUR_MS) return
    this.#cleanedAt = now()
    await transactions.write((tx) => tx.forgetAnswersBefore(now() - ANSWERS_KEPT_MS))
  }

  /** One row tells whether anybody's rights changed; only then the agents are looked at. */
  #enforceRights(): void {
    const { reads, presence, changes } = this.#context
    const version = reads.revocationVersion()
    if (version === this.#revocationVersion) return
    this.#revocationVersion = version
    for (const agentId of presence.agentIds()) {
      const state = reads.agent(agentId)?.state
      if (state === 'active') continue
      const code = state === 'revoked' ? 'AGENT_REVOKED' : 'AGENT_DISABLED'
      presence.current(agentId)?.link.close({ code, message: `This machine was ${state ?? 'removed'}.` })
      changes.agent(agentId)
    }
  }

  /** AUTH-1: what waits for its machine is judged when it leaves, and already here when anybody's rights changed. */
  async #reviewCommands(): Promise<void> {
    const { reads, pump } = this.#context
    const version = reads.rightsVersion()
    if (version === this.#rightsVersion) return
    this.#rightsVersion = version
    await pump.review()
  }

  #failed(error: unknown): void {
    this.#context.log.error({ error: String(error) }, 'a tick failed')
  }
}
