/** A connection of an agent for tests, with a daemon that does at once what it is asked for. */
import { type ErrorCode, linkLimits, type Verdict } from '@roundhouse/backend-types'
import { type LinkEffect, type LinkEvent, LinkState } from '../index'
import type { SessionStage } from '../link/session-link'

export const limits = { ...linkLimits, batchEvents: 10, batchBytes: 1_000, windowEvents: 30, windowBytes: 3_000 }
export const resume = (from: number, sessionId = 's'): Verdict => ({ sessionId, verdict: 'resume', from })
export const error = (code: ErrorCode, retryable = false, details?: Record<string, unknown>) => ({
  code,
  message: code,
  retryable,
  ...(details ? { details } : {}),
})

/** A connection with what it asks for; logs are numbers. */
export class Scene {
  readonly link = new LinkState()
  readonly heads = new Map<string, number>([['s', 0]])
  readonly acked = new Map<string, { acked: number; ackedEpoch: string }>()
  now = 0
  #asked: LinkEffect[] = this.link.begin()

  hear(...events: LinkEvent[]): this {
    for (const event of events) this.#follow(this.link.hear(event, this.now))
    return this
  }

  /** What the daemon does at once: it says where a log stands, and sends what it is asked for. */
  #follow(effects: LinkEffect[]): void {
    this.#asked.push(...effects)
    for (const effect of effects) {
      if (effect.do === 'take') {
        const { sessionId } = effect.verdict
        const position = {
          acked: 0,
          ackedEpoch: 'epoch',
          ...this.acked.get(sessionId),
          head: this.heads.get(sessionId) ?? 0,
        }
        this.hear({ kind: 'positioned', verdict: effect.verdict, position })
      }
      if (effect.do === 'pump') this.hear({ kind: 'pumped' })
      if (effect.do === 'send') {
        const { sessionId, after, upTo } = effect
        const last = Math.min(upTo, after + limits.batchEvents)
        this.hear({ kind: 'batchSent', sessionId, last, events: last - after, bytes: 10 })
      }
    }
  }

  asked<D extends LinkEffect['do']>(what: D): Array<Extract<LinkEffect, { do: D }>> {
    const found = this.#asked.filter((effect) => effect.do === what) as Array<Extract<LinkEffect, { do: D }>>
    this.#asked = this.#asked.filter((effect) => effect.do !== what)
    return found
  }

  sent(): Array<[string, number, number]> {
    return this.asked('send').map(({ sessionId, after, upTo }) => [
      sessionId,
      after + 1,
      Math.min(upTo, after + limits.batchEvents),
    ])
  }

  stageOf(sessionId = 's'): SessionStage {
    return this.link.of(sessionId).stage
  }
}

export const opening = () => new Scene()
export const greeting = () => opening().hear({ kind: 'welcomed', hubEpoch: 'epoch', limits })
export const reporting = () => greeting().hear({ kind: 'helloTaken' })
export const online = (...verdicts: Verdict[]) =>
  reporting().hear({ kind: 'pageAnswered', named: verdicts.map((v) => v.sessionId), verdicts, isLast: true })
export const ended = () => online().hear({ kind: 'failed', reason: 'over' })

/** In service, with everything sent and acked up to 5. */
export function judged(): Scene {
  const scene = reporting()
  scene.heads.set('s', 5)
  scene.acked.set('s', { acked: 5, ackedEpoch: 'epoch' })
  return scene.hear({ kind: 'pageAnswered', named: ['s'], verdicts: [resume(6)], isLast: true })
}
/** One batch up to 8 waits for its answer. */
export const inFlight = () => judged().hear({ kind: 'appended', sessionId: 's', head: 8 })
export const of = { sessionId: 's', generation: 0 }
export const report = (scene: Scene) => scene.asked('report').map(({ sessionId }) => sessionId)
