/** Takes what a test's hub sends, in the place of the network: each request waits until the test answers it, or is answered at once. */
import type { CoreDeps } from '../../core'
import { Waiter } from '../waiter'

type Outbound = CoreDeps['outbound']
type Request = Parameters<Outbound['post']>[0]
type Outcome = Awaited<ReturnType<Outbound['post']>>

export const answered = (status: number, retryAfterMs: number | null = null): Outcome => ({
  kind: 'answered',
  status,
  retryAfterMs,
})

export interface Received extends Request {
  /** The `webhook-id`. */
  id: string
  type: string
  data: Record<string, unknown>
}

export class Receiver implements Outbound {
  readonly received: Received[] = []
  readonly waiter = new Waiter()
  /** By address; 200 where nothing is said. `hang`: no answer. */
  readonly #answers = new Map<string, Outcome | Promise<Outcome> | 'hang'>()

  /** A promise holds the answer back. */
  answer(url: string, outcome: Outcome | Promise<Outcome> | 'hang'): void {
    this.#answers.set(url, outcome)
  }

  refusal: Outbound['refusal'] = (url) => (url.startsWith('https://') ? null : 'scheme')

  async post(request: Request, signal?: AbortSignal): Promise<Outcome> {
    const { type, data } = JSON.parse(request.body)
    this.received.push({ ...request, id: request.headers['webhook-id'] ?? '', type, data })
    this.waiter.look()
    const outcome = this.#answers.get(request.url) ?? answered(200)
    if (outcome !== 'hang') return outcome
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve({ kind: 'failed', failure: 'timeout' }), { once: true })
    })
  }

  to = (url: string): Received[] => this.received.filter((one) => one.url === url)

  async until(count: number, url?: string): Promise<Received[]> {
    const found = () => (url === undefined ? this.received : this.to(url))
    await this.waiter.until(() => found().length >= count)
    return found()
  }
}
