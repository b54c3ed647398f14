/**
 * Sends the messages of the bus to one webhook, one after the other, from its own durable cursor (HOOK-1). What it waits for slows
 * nobody else: it holds a place in the table, and no queue.
 *
 *   idle -- a message for it --> sending -- settled --> the next one
 *                                sending -- did not arrive --> waiting -- its time has come --> sending
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { matchesTopic } from '@roundhouse/bus'
import type { BusApi, BusLot } from '../bus/bus'
import { WakeLoop } from '../common/wake-loop'
import type { BusRow } from '../ports/bus-store'
import type { DeliveryRow, WebhookRow } from '../ports/outbound/webhook-store'
import { type AttemptDeps, Attempts } from './attempts'
import { deliveryIdOf, messageBody } from './payload'
import { isDue } from './retry-table'

export interface LaneDeps extends AttemptDeps {
  bus: Pick<BusApi, 'at' | 'sight'>
  /** Shared by all that are at the same place. */
  rows: (after: number) => Promise<BusLot>
  /** Between two messages. */
  rest: () => Promise<void>
  onError: (error: unknown) => void
}

/** Where nothing is for it, its place is written down this often. After a crash it reads so many messages again. */
const KEEP_EVERY_MS = 10_000

type Place = Pick<BusRow, 'offset' | 'fromPeer' | 'messageId' | 'storedAt'>
/** `later`: its time has not come, or the webhook was turned off. */
type Settled = 'sent' | 'skipped' | 'later'

export class WebhookLane {
  readonly #webhookId: string
  readonly #deps: LaneDeps
  readonly #attempts: Attempts
  readonly #asked: Attempts
  readonly #inTurn: WakeLoop
  readonly #byHand: WakeLoop
  /** The webhook as it was read last; null: it must be read again. */
  #hook: WebhookRow | null = null
  /** Counts how often everything below was forgotten. */
  #life = 0
  /** Everything up to here was looked at. */
  #at = 0
  /** Messages on its topics that were read and not looked at, and the end of what was read. */
  #places: Place[] = []
  #readTo = 0
  #head: Place | null = null
  #notBefore: number | null = null
  #keptAt: number

  constructor(webhookId: string, deps: LaneDeps) {
    this.#webhookId = webhookId
    this.#deps = deps
    this.#keptAt = deps.elapsed()
    this.#attempts = new Attempts(webhookId, deps)
    this.#asked = new Attempts(webhookId, deps)
    const { onError } = deps
    this.#inTurn = new WakeLoop({ step: () => this.#next(), onError, restsAfterFailure: true })
    this.#byHand = new WakeLoop({ step: () => this.#asked.nextAsked(), onError, restsAfterFailure: true })
  }

  get isAtWork(): boolean {
    return this.#inTurn.isAtWork || this.#byHand.isAtWork
  }

  /** There may be something new on the bus. */
  wake(): void {
    this.#inTurn.wake()
  }

  /** A time may have come. */
  tick(): void {
    this.#inTurn.wake()
    this.#byHand.wake()
  }

  /** A person changed it, or asked for something. */
  changed(): void {
    this.#forget()
    this.tick()
  }

  /** What is on its way is given up, and sent again by the next hub. */
  async stop(): Promise<void> {
    this.#attempts.abort()
    this.#asked.abort()
    await Promise.all([this.#inTurn.stop(), this.#byHand.stop()])
  }

  #forget(): void {
    this.#life += 1
    this.#hook = null
    this.#head = null
    this.#notBefore = null
    this.#places = []
    this.#at = 0
    this.#readTo = 0
  }

  async #next(): Promise<boolean> {
    await this.#attempts.writeLate()
    const life = this.#life
    const hook = this.#hook ?? (await this.#deps.webhooks.find(this.#webhookId))
    if (life !== this.#life) return true
    if (!hook?.enabled) return false
    this.#hook = hook
    this.#at = Math.max(this.#at, hook.cursor)
    if (!isDue(this.#notBefore, this.#deps.now())) return false
    const head = this.#head ?? (await this.#scan(hook.topics))
    if (life !== this.#life) return true
    if (!head) {
      await this.#keepPlace()
      return false
    }
    this.#head = head
    const settled = await this.#settle(head)
    if (settled === 'later') return life !== this.#life
    if (this.#head === head) this.#head = null
    this.#notBefore = null
    await (settled === 'sent' ? this.#deps.rest() : nextTurn())
    return true
  }

  /** The next message on one of its topics, whether or not its person may see it. */
  async #scan(topics: readonly string[]): Promise<Place | null> {
    const life = this.#life
    for (;;) {
      const place = this.#places.shift()
      if (place) {
        this.#at = place.offset
        return place
      }
      this.#at = Math.max(this.#at, this.#readTo)
      const lot = await this.#deps.rows(this.#at)
      if (life !== this.#life || lot.next <= this.#at) return null
      this.#readTo = lot.next
      this.#places = lot.rows.filter(({ topic }) => topics.some((one) => matchesTopic(one, topic))).map(placeOf)
      if (this.#places.length === 0) await nextTurn()
    }
  }

  /** Rights, the message and the webhook are read again for each attempt. */
  async #settle(head: Place): Promise<Settled> {
    const { webhooks, bus, now } = this.#deps
    const webhookId = this.#webhookId
    const hook = await webhooks.find(webhookId)
    if (!hook?.enabled) return this.#giveUp()
    if (hook.cursor >= head.offset) return 'skipped'
    const eye = await this.#attempts.eyeOf(hook)
    if (!eye) return this.#giveUp()
    const deliveryId = deliveryIdOf(webhookId, head)
    const known = await webhooks.delivery(deliveryId)
    if (known && known.state !== 'retrying') return 'skipped'
    const row = await bus.at(head.offset)
    const message = row ? eye(row) : null
    if (!message) {
      const delivery = known && ({ ...known, state: 'dropped', nextAt: null } as const)
      if (delivery) await this.#attempts.record({ webhookId, delivery, cursor: head.offset })
      return 'skipped'
    }
    if (known && !isDue(known.nextAt, now())) {
      this.#notBefore = known.nextAt
      return 'later'
    }
    const delivery = known ?? newDelivery(webhookId, deliveryId, head.offset, now())
    const { storedAt } = head
    const life = this.#life
    const verdict = await this.#attempts.make({ hook, delivery, storedAt, body: messageBody(message), byHand: false })
    if (!verdict || verdict.stop !== null) return this.#giveUp()
    if (life === this.#life) this.#notBefore = verdict.step.delivery?.nextAt ?? null
    return verdict.state === 'retrying' ? 'later' : 'sent'
  }

  #giveUp(): 'later' {
    this.#hook = null
    this.#head = null
    this.#places = []
    this.#at = 0
    this.#readTo = 0
    return 'later'
  }

  async #keepPlace(): Promise<void> {
    const { elapsed } = this.#deps
    const hook = this.#hook
    if (!hook || this.#at <= hook.cursor || elapsed() - this.#keptAt < KEEP_EVERY_MS) return
    this.#keptAt = elapsed()
    const cursor = this.#at
    await this.#attempts.record({ webhookId: this.#webhookId, cursor })
    if (this.#hook === hook) this.#hook = { ...hook, cursor }
  }
}

const placeOf = ({ offset, fromPeer, messageId, storedAt }: BusRow): Place => ({
  offset,
  fromPeer,
  messageId,
  storedAt,
})

const newDelivery = (webhookId: string, deliveryId: string, busOffset: number, now: number): DeliveryRow => ({
  deliveryId,
  webhookId,
  busOffset,
  state: 'waiting',
  createdAt: now,
  nextAt: null,
  askedAt: null,
  attempts: 0,
  log: [],
})
