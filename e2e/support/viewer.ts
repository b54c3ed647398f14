/** A browser tab without a browser: the watch that a page uses, and the list of events that it would show. */
import { createHubClient, type HubClient, type SeenEvent, SessionWatch } from '@roundhouse/hub-client'
import type { HubProcess } from './hub-process'
import { until } from './until'

export interface Viewer {
  /** Everything it shows, oldest first. A second event at a number, or one out of order, is shown as it came. */
  shown(): readonly SeenEvent[]
  /** Text of blocks that are still being written. */
  live(): string
  reaches(head: number): Promise<unknown>
  /** As when a tab is closed: nothing is said to anybody. */
  close(): void
}

export async function openViewer(hub: HubProcess, sessionId: string): Promise<Viewer> {
  const client: HubClient = createHubClient(await hub.login())
  let events: SeenEvent[] = []
  let live = ''
  let refused: Error | null = null
  const watch = new SessionWatch(sessionId, client.rest, client.socket, {
    onReset: (_snapshot, latest) => {
      events = [...latest]
    },
    onEvents: (more) => events.push(...more),
    onSession: () => {},
    onBlocks: ({ open }) => {
      live = open.map(({ text }) => text).join('')
    },
    onRefused: (error) => {
      refused = error
    },
  })
  return {
    shown: () => events,
    live: () => live,
    reaches: (head) =>
      until(`a viewer to reach ${head}`, () => {
        if (refused) throw refused
        return events.at(-1)?.seq === head
      }),
    close: () => {
      client.close()
      watch.close()
    },
  }
}
