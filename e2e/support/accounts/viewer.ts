/** A browser tab without a browser: the watch that a page uses, and the list of events that the page would show. */
import type { CodedError } from '@roundhouse/backend-types'
import { createHubClient, type HubClient, type SeenEvent, SessionWatch, signIn } from '@roundhouse/hub-client'
import { until } from '../common/until'
import { type HubProcess, owner } from '../processes/hub-process'

export interface Viewer {
  /** Everything that it shows, oldest first. A repeated or misplaced event is shown as it came. */
  shown(): readonly SeenEvent[]
  /**
   * The same with the time of arrival of each event in epoch milliseconds, including events that a snapshot has
   * replaced since.
   */
  arrivals(): ReadonlyArray<{ event: SeenEvent['event']; at: number }>
  /** How often it was told that it lags, and how often it started over from a snapshot. */
  setbacks(): { lagged: number; resets: number }
  /** The number with which it began: a tab that opens late gets only the latest events. */
  begins(): number
  /** Text of blocks that are still being written. */
  live(): string
  /** Why it shows nothing now. */
  refusal(): CodedError | null
  reaches(head: number, timeoutMs?: number): Promise<unknown>
  /** Like closing a tab: nobody is told. */
  close(): void
}

/** `url`: another address of the same hub, which has its own public address. */
export async function openViewer(hub: HubProcess, sessionId: string, url?: string): Promise<Viewer> {
  const client: HubClient = createHubClient(url ? await signIn(url, owner.email, owner.password) : await hub.login())
  let events: SeenEvent[] = []
  const arrivals: Array<{ event: SeenEvent['event']; at: number }> = []
  const setbacks = { lagged: 0, resets: -1 }
  const arrived = (more: readonly SeenEvent[]) => {
    const at = performance.timeOrigin + performance.now()
    for (const { event } of more) arrivals.push({ event, at })
  }
  let begins = 1
  let live = ''
  let refused: CodedError | null = null
  const watch = new SessionWatch(sessionId, client.rest, client.socket, {
    onReset: (_snapshot, latest) => {
      refused = null
      setbacks.resets += 1
      if (setbacks.resets === 0) begins = latest[0]?.seq ?? 1
      arrived(latest)
      events = [...latest]
    },
    onEvents: (more) => {
      arrived(more)
      events.push(...more)
    },
    onSession: () => {},
    onBlocks: ({ open }) => {
      live = open.map(({ text }) => text).join('')
    },
    onRefused: (error) => {
      refused = error
    },
  })
  client.socket.on('lagged', () => {
    setbacks.lagged += 1
  })
  return {
    shown: () => events,
    arrivals: () => arrivals,
    setbacks: () => setbacks,
    begins: () => begins,
    live: () => live,
    refusal: () => refused,
    reaches: (head, timeoutMs) =>
      until(
        `a viewer to reach ${head}`,
        () => {
          if (refused) throw refused
          return events.at(-1)?.seq === head
        },
        timeoutMs,
      ),
    close: () => {
      client.close()
      watch.close()
    },
  }
}
