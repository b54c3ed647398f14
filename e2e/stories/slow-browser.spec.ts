/** A real browser behind a bad line: a proxy stands between it and the hub. */

import { expect, Person, test } from '../support/browser/story'
import { until } from '../support/common/until'
import { signInPage } from '../support/processes/browser-login'
import { startSystem } from '../support/processes/system'
import { TcpProxy } from '../support/wire/tcp-proxy'

const SLOW = { bytesPerSecond: 10_000, sliceBytes: 500 }
const steps = [
  { flood: { bytes: 24_000_000, line: 60_000, as: 'text' } },
  { count: { to: 60, delayMs: 0, prefix: 'behind the flood' } },
]

test.use({ trace: 'off' })

test('[F14] [T86] [VIEW-4.1] [VIEW-6] a page at 10 KB/s falls behind, and has what a fresh page shows when the line is better', async ({
  page,
}) => {
  let port = 0
  const isAgent = (first: string) => /x-roundhouse-agent|\/api\/v1\/agent\//i.test(first)
  const proxy = await TcpProxy.start(
    () => port,
    (first) => (isAgent(first.toString('latin1')) ? 'agent' : 'browser'),
  )
  const system = await startSystem('scripted', {
    hubEnv: { ROUNDHOUSE_PUBLIC_URL: proxy.url },
    started: (hub) => {
      port = hub.port
    },
  })
  try {
    const { rest, close } = await system.hub.client()
    const person = new Person(page, system)
    await person.open()
    const sessionId = await person.startSession('Go. SCRIPT: [{"text":"Ready."}]')
    await expect(person.turnEnds('completed')).toHaveCount(1)
    const told = { lagged: 0, connected: 0 }
    page.on('websocket', (socket) => {
      told.connected += 1
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('["lagged",')) told.lagged += 1
      })
    })
    await signInPage(page, proxy.url) // another origin, so another key
    await page.goto(`${proxy.url}/sessions/${sessionId}`)
    await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
    await expect(page.getByTestId('session')).toBeVisible()

    proxy.set('both', SLOW, 'browser')
    await rest.prompt(sessionId, { promptId: 'p_flood', text: `Flood. SCRIPT: ${JSON.stringify(steps)}` })
    const head = await until('the hub to have all of it', async () => {
      const { session, events } = await rest.snapshot(sessionId, 1)
      const isAtEnd = events.at(-1)?.kind === 'turn_completed' // the status comes ahead of the events
      return isAtEnd && session.lastLine === 'behind the flood 60' && session.head
    })
    expect(Number(await page.getByTestId('session').getAttribute('data-head'))).toBeLessThan(head)
    proxy.set('both', {}, 'browser')
    await expect(page.getByText('behind the flood 60', { exact: true })).toBeInViewport()
    // Where not even a ping came through in time, it started over instead.
    expect(told.lagged + told.connected).toBeGreaterThan(1)
    await expect(page.getByTestId('session')).toHaveAttribute('data-head', String(head))
    const lived = await drawnAtEnd(person)
    await page.reload()
    await expect(page.getByText('behind the flood 60', { exact: true })).toBeInViewport()
    // Rows are measured as they are drawn: how many are kept above the screen is up to that, what they are is not.
    expect(lived.length).toBeGreaterThan(10)
    const sameEnd = async () => {
      const fresh = await drawnAtEnd(person)
      const rows = Math.min(fresh.length, lived.length)
      return rows > 10 && fresh.slice(-rows).join('\n') === lived.slice(-rows).join('\n')
    }
    await expect.poll(sameEnd).toBe(true)
    close()
  } finally {
    await system.dispose()
    await proxy.close()
  }
})

/** What a reader at the end sees, once the page stands there and says that it is live: every row's number and words. */
async function drawnAtEnd({ page, transcript }: Person): Promise<string[]> {
  const below = () => transcript.evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight)
  await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
  await expect.poll(below).toBeLessThan(1)
  return transcript.evaluate((list) => {
    const { top } = list.getBoundingClientRect()
    const rows = [...list.querySelectorAll<HTMLElement>('[data-seq]')]
    const seen = rows.filter((row) => row.getBoundingClientRect().top >= top)
    return seen.map((row) => `${row.dataset.seq} ${row.innerText}`)
  })
}
