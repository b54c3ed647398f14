/** All webhooks of a hub, a lane for each: finds those that are on, wakes them, and forgets old deliveries (HOOK-1, HOOK-5). */
import { setTimeout as delay } from 'node:timers/promises'
import type { WebhookStop } from '@roundhouse/backend-types'
import { entryOf, hubItself } from '../audit/audit'
import type { BusApi, BusLot } from '../bus/bus'
import { eachApart, throwFirst } from '../common/each-apart'
import type { Log } from '../common/log'
import { VersionWatch } from '../common/version-watch'
import type { Doorbells } from '../doorbells/doorbells'
import type { WebhookRow } from '../ports/outbound/webhook-store'
import { isTold } from '../ports/storage-port'
import type { Reads } from '../ports/stores'
import type { WriteAsHub } from '../writes/write-as'
import { ownerSight } from './owner-sight'
import { type LaneDeps, WebhookLane } from './webhook-lane'

export interface DispatcherDeps
  extends Omit<LaneDeps, 'rows' | 'turnOff' | 'rest' | 'onError' | 'bus' | 'reads' | 'chance'> {
  bus: Pick<BusApi, 'at' | 'rows' | 'sight'>
  reads: Pick<Reads, 'hub' | 'people'>
  doorbells: Doorbells
  log: Log
  writeAsHub: WriteAsHub
  chance?: () => number
  /** Waits so long between two messages of one webhook. */
  rest?: (ms: number) => Promise<void>
}

const KEPT_MS = 30 * 24 * 3_600_000
const FORGET_EVERY_MS = 60_000
const FORGOTTEN_AT_ONCE = 500
/** One webhook gets at most 50 messages a second, and all of them together 200, so that a flood on the bus is no flood of requests. */
const REST_MS = 20
const REST_TOGETHER_MS = 5

export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #lanes = new Map<string, WebhookLane>()
  readonly #lots = new Map<number, Promise<BusLot>>()
  readonly #rights: VersionWatch
  readonly #silence: () => void
  #forgottenAt: number
  #isStopped = false

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#forgottenAt = deps.elapsed()
    this.#rights = new VersionWatch(() => deps.reads.hub.rightsVersion())
    this.#silence = deps.doorbells.on('bus', () => {
      this.#lots.clear()
      for (const lane of this.#lanes.values()) lane.wake()
    })
  }

  /** A person changed it, or asked for something. */
  changed(webhookId: string): void {
    this.#laneOf(webhookId)?.changed()
  }

  async tick(): Promise<void> {
    if (this.#isStopped) return
    await this.#rights.whenMoved(() => this.#judgeOwners())
    const atWork = new Set(await this.#deps.webhooks.atWork())
    for (const webhookId of atWork) if (!this.#lanes.has(webhookId)) this.changed(webhookId)
    for (const [webhookId, lane] of this.#lanes) {
      if (atWork.has(webhookId) || lane.isAtWork) lane.tick()
      else this.#lanes.delete(webhookId)
    }
    await this.#forgetOld()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#silence()
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()))
  }

  #laneOf(webhookId: string): WebhookLane | undefined {
    if (this.#isStopped) return undefined
    const known = this.#lanes.get(webhookId)
    if (known) return known
    const { chance = Math.random } = this.#deps
    const lane = new WebhookLane(webhookId, {
      ...this.#deps,
      chance,
      rows: (after) => this.#rows(after),
      turnOff: (hook, why) => this.#turnOff(hook, why),
      rest: () => this.#rest(),
      onError: (error) => this.#tell(error),
    })
    this.#lanes.set(webhookId, lane)
    return lane
  }

  /** One read serves all who are at the same place, and only those who ask in the same moment: a message may be erased. */
  #rows(after: number): Promise<BusLot> {
    const known = this.#lots.get(after)
    if (known) return known
    const lot = this.#deps.bus.rows(after)
    this.#lots.set(after, lot)
    const forget = () => void (this.#lots.get(after) === lot && this.#lots.delete(after))
    lot.then(() => setImmediate(forget), forget)
    return lot
  }

  async #rest(): Promise<void> {
    const { rest = restFor } = this.#deps
    const atWork = [...this.#lanes.values()].filter((lane) => lane.isAtWork).length
    await rest(Math.max(REST_MS, REST_TOGETHER_MS * atWork))
  }

  /** Somebody's rights changed: a webhook ends with the rights of its person, whether or not there is a message for it. */
  async #judgeOwners(): Promise<void> {
    const hooks = (await this.#deps.webhooks.all()).filter(({ enabled }) => enabled)
    const errors = await eachApart(hooks, async (hook) => {
      const { stop } = await ownerSight(this.#deps, hook)
      if (stop !== null) await this.#turnOff(hook, stop)
    })
    throwFirst(errors)
  }

  async #turnOff({ webhookId, life }: Pick<WebhookRow, 'webhookId' | 'life'>, why: WebhookStop): Promise<void> {
    const { writeAsHub, now } = this.#deps
    await writeAsHub(async (tx) => {
      const hook = await tx.webhooks.find(webhookId)
      if (!hook?.enabled || hook.life !== life) return
      await tx.webhooks.update(webhookId, { enabled: false, stopped: why })
      await tx.webhooks.dropRetrying(webhookId)
      await tx.audit.append(entryOf(hubItself, 'webhook.stop', webhookId, { why, owner: hook.userId }), now())
    })
  }

  async #forgetOld(): Promise<void> {
    const { webhooks, elapsed, steady } = this.#deps
    if (elapsed() - this.#forgottenAt < FORGET_EVERY_MS) return
    const gone = await webhooks.forgetBefore(steady.now() - KEPT_MS, FORGOTTEN_AT_ONCE)
    if (gone < FORGOTTEN_AT_ONCE) this.#forgottenAt = elapsed()
  }

  #tell(error: unknown): void {
    if (!isTold(error)) this.#deps.log.error({ error: String(error) }, 'a webhook could not be served')
  }
}

const restFor = async (ms: number): Promise<void> => void (await delay(ms, undefined, { ref: false }))
