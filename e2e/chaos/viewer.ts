/** Somebody who keeps one session open through everything, as a page does. */
import { type HubClient, type SeenEvent, SessionWatch } from '@roundhouse/hub-client'

export class Viewer {
  readonly sessionId: string
  readonly #client: HubClient
  readonly #watch: SessionWatch
  #events: SeenEvent[] = []
  #resets = 0
  #outOfOrder = 0

  constructor(sessionId: string, client: HubClient) {
    this.sessionId = sessionId
    this.#client = client
    this.#watch = new SessionWatch(sessionId, client.rest, client.socket, {
      onReset: (_snapshot, events) => {
        this.#resets += 1
        this.#events = events
      },
      onEvents: (events) => {
        for (const event of events) {
          const last = this.#events.at(-1)
          if (last && event.seq !== (last.to ?? last.seq) + 1) this.#outOfOrder += 1
          this.#events.push(event)
        }
      },
      onSession: () => {},
      onBlocks: () => {},
      onRefused: (error) => {
        throw new Error(`a viewer was refused: ${error.code}`)
      },
    })
  }

  get head(): number {
    const last = this.#events.at(-1)
    return last?.to ?? last?.seq ?? 0
  }

  get resets(): number {
    return this.#resets
  }

  /** Events that were not the next ones. */
  get outOfOrder(): number {
    return this.#outOfOrder
  }

  /** All that is shown, from the first event; older pages are asked for where a reset left them out. */
  async everything(): Promise<SeenEvent[]> {
    while (this.#events[0] && this.#events[0].seq > 1) {
      const { events } = await this.#watch.older(this.#events[0].seq, 500)
      if (events.length === 0) break
      this.#events = [...events, ...this.#events]
    }
    return this.#events
  }

  close(): void {
    this.#watch.close()
    this.#client.close()
  }
}
