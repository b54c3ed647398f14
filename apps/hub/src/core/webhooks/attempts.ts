/**
 * The attempts of one webhook, in turn or by hand: what each makes of its delivery is written down before anything is sent again (HOOK-2). A delivery
 * that somebody asked for does not wait behind the others, and has one attempt (HOOK-5).
 */
import type { WebhookStop } from '@roundhouse/backend-types'
import type { SteadyClock } from '@roundhouse/delivery'
import type { BusApi, BusEye } from '../bus/bus'
import type { DeliveryRow, DeliveryStep, WebhookRow, WebhookStore } from '../ports/outbound/webhook-store'
import { judgeAttempt, type Verdict } from './judge-attempt'
import { type OwnerSightDeps, ownerSight } from './owner-sight'
import { messageBody, pingBody } from './payload'
import { type SenderDeps, send } from './sender'

export interface AttemptDeps extends SenderDeps, OwnerSightDeps {
  bus: Pick<BusApi, 'at' | 'sight'>
  webhooks: WebhookStore
  /** The clock by which a message's day ends. */
  steady: Pick<SteadyClock, 'now'>
  /** Turns it off, and says so in the audit log, unless it has another life by now than the one that was judged. */
  turnOff: (hook: Pick<WebhookRow, 'webhookId' | 'life'>, why: WebhookStop) => Promise<void>
  /** 0 to 1. */
  chance: () => number
}

export interface Wanted {
  hook: WebhookRow
  delivery: DeliveryRow
  storedAt: number
  body: string
  /** Somebody asked for it. */
  byHand: boolean
}

export class Attempts {
  readonly #webhookId: string
  readonly #deps: AttemptDeps
  readonly #ended = new AbortController()
  /** What was sent and is not written down: the storage refused it. */
  readonly #late: DeliveryStep[] = []

  constructor(webhookId: string, deps: AttemptDeps) {
    this.#webhookId = webhookId
    this.#deps = deps
  }

  abort(): void {
    this.#ended.abort()
  }

  /** Null: its person may have no webhook any more, and it is turned off. */
  async eyeOf(hook: WebhookRow): Promise<BusEye | null> {
    const sight = await ownerSight(this.#deps, hook)
    if (sight.stop === null) return sight.eye
    if (hook.enabled) await this.#deps.turnOff(hook, sight.stop)
    return null
  }

  /** Null: it was not sent, or nobody waits for its end any more. */
  async make({ hook, delivery, storedAt, body, byHand }: Wanted): Promise<Verdict | null> {
    const { steady, chance, turnOff } = this.#deps
    const sent = await send(this.#deps, hook, { id: delivery.deliveryId, body }, this.#ended.signal)
    if (this.#ended.signal.aborted) return null
    if (!sent) {
      if (hook.enabled) await turnOff(hook, 'secret')
      return null
    }
    const verdict = judgeAttempt({
      hook,
      delivery,
      ...sent,
      steadyNow: steady.now(),
      storedAt,
      chance: chance(),
      byHand,
    })
    await this.record(verdict.step)
    if (verdict.stop !== null && hook.enabled) await turnOff(hook, verdict.stop)
    return verdict
  }

  /** False: nobody asked for more. */
  async nextAsked(): Promise<boolean> {
    await this.writeLate()
    const { webhooks } = this.#deps
    const delivery = await webhooks.asked(this.#webhookId)
    const hook = delivery && (await webhooks.find(this.#webhookId))
    if (!delivery || !hook) return false
    const wanted = await this.#askedOf(hook, delivery)
    if (wanted && (await this.make({ hook, delivery, ...wanted, byHand: true }))) return true
    if (this.#ended.signal.aborted) return false
    const state = delivery.state === 'delivered' ? delivery.state : 'dropped'
    await this.record({ webhookId: this.#webhookId, delivery: { ...delivery, state, askedAt: null, nextAt: null } })
    return true
  }

  /** Null: it is gone, or not for its person's eyes. Which topics the webhook has now is no matter to whoever asks for it. */
  async #askedOf(hook: WebhookRow, delivery: DeliveryRow): Promise<Pick<Wanted, 'body' | 'storedAt'> | null> {
    const eye = await this.eyeOf({ ...hook, topics: ['**'] })
    if (!eye) return null
    if (delivery.busOffset === null) return { body: pingBody(delivery), storedAt: delivery.createdAt }
    const row = await this.#deps.bus.at(delivery.busOffset)
    const message = row ? eye(row) : null
    return row && message ? { body: messageBody(message), storedAt: row.storedAt } : null
  }

  /** Waits for the storage as long as that takes. */
  async record(step: DeliveryStep): Promise<void> {
    this.#late.push(step)
    await this.writeLate()
  }

  async writeLate(): Promise<void> {
    for (let step = this.#late[0]; step; step = this.#late[0]) {
      await this.#deps.webhooks.record(step)
      if (this.#late[0] === step) this.#late.shift()
    }
  }
}
