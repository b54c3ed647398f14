/**
 * A page on a very long session. ROUNDHOUSE_TRANSCRIPT chooses its length: 200000 and 1000000 for the figures in
 * docs/reliability.md; only such a run, on a machine at rest, judges the time of the first paint.
 */
import type { CDPSession } from '@playwright/test'
import { growLog, type LongLog } from '../support/accounts/long-log'
import { expect, Person, test } from '../support/browser/story'
import { until } from '../support/common/until'
import { type System, startSystem } from '../support/processes/system'
import { absentMachine } from '../support/wire/absent-machine'

const EVENTS = Number(process.env.ROUNDHOUSE_TRANSCRIPT ?? 20_000)
/** A small run need not paint it again and again. */
const PAINTS = EVENTS >= 200_000 ? 5 : 1
const FIRST_PAINT_MS = 2_000
/** More than a page holds (6,000), so that it has to let go of some. */
const BACK = 6_600
const HEAP_MIB = 120

test.use({ trace: 'off' })

test(`[T88] [I9] [VIEW-5] a transcript of ${EVENTS} events: painted at once, paged in both directions, jumped into, in bounded memory`, async ({
  page,
}) => {
  test.setTimeout(10 * 60_000)
  const system = await startSystem('scripted')
  try {
    const { sessionId, head } = await longSession(system)
    const person = new Person(page, system)
    await person.open()
    const cdp = await page.context().newCDPSession(page)
    const empty = await heapMib(cdp)
    const at = (hash = '') => `${system.hub.url}/sessions/${sessionId}${hash}`

    const paints: number[] = []
    for (let n = 0; n < PAINTS; n += 1) {
      await page.goto(`${system.hub.url}/agents`)
      await page.goto(at(), { waitUntil: 'commit' })
      paints.push(await paintedAt(page, `[data-seq="${head}"], [data-testid=turn-end]`))
      await expect(person.transcript.getByText(/^answer \d+$/).last()).toBeInViewport()
    }
    const opened = await heapMib(cdp)

    const begun = performance.now()
    const pages = await backTo(person, head - BACK)
    const perPage = Math.round((performance.now() - begun) / pages)
    const scrolled = await heapMib(cdp)
    const nodes = await page.locator('[data-seq]').count()

    // Afar, and from there on in both directions.
    const middle = Math.floor(head / 3)
    const jump = performance.now()
    await page.goto(`${system.hub.url}/agents`)
    await page.goto(at(`#e-${middle}`))
    await expect(page.locator(`#e-${middle}`)).toBeInViewport()
    const jumped = Math.round(performance.now() - jump)
    await backTo(person, middle - 400)
    await page.getByRole('button', { name: /To the end|new/ }).click()
    await expect(person.transcript.getByText(/^answer \d+$/).last()).toBeInViewport()
    const after = await heapMib(cdp)
    console.log(
      `${head} events: painted after ${paints.join(', ')} ms; ${pages} pages back, ${perPage} ms each; jumped in ${jumped} ms; ` +
        `heap MiB ${JSON.stringify({ empty, opened, scrolled, after })}; ${nodes} rows drawn`,
    )
    if (EVENTS >= 200_000) for (const paint of paints) expect(paint).toBeLessThan(FIRST_PAINT_MS)
    expect(Math.max(opened, scrolled, after)).toBeLessThan(HEAP_MIB)
    expect(nodes).toBeLessThan(200)
  } finally {
    await system.dispose()
  }
})

async function longSession(system: System): Promise<LongLog> {
  const { rest, close } = await system.hub.client()
  const [agent] = (await rest.agents()).items
  const settings = { backend: 'scripted', workDir: system.workDir }
  const prompt = 'Go. SCRIPT: [{"text":"Ready."}]'
  const { sessionId } = await rest.createSession({ agentId: agent?.agentId ?? '', settings, prompt })
  await until('a session to copy', async () => {
    const { session } = await rest.snapshot(sessionId, 1)
    return session.status.status === 'idle' && session.lastLine === 'Ready.'
  })
  const agentId = await absentMachine(system)
  close()
  await system.hub.stop()
  const long = growLog(system.hub.dataDir, sessionId, { sessionId: 's_long', agentId, events: EVENTS })
  await system.hub.start()
  return long
}

/** Milliseconds from the start of the navigation until something like this is drawn. */
async function paintedAt(page: Person['page'], selector: string): Promise<number> {
  const found = await page.waitForFunction(
    (wanted) => document.querySelector(`[role=log] :is(${wanted})`) !== null && performance.now(),
    selector,
    { polling: 'raf' },
  )
  return Math.round((await found.jsonValue()) as number)
}

/** Scrolls up until event `seq` is loaded, as a reader does; resolves to how often an older page was waited for. */
async function backTo({ page, transcript }: Person, seq: number): Promise<number> {
  let pages = 0
  await transcript.hover()
  for (let first = await firstDrawn(page); first > seq; pages += 1) {
    await transcript.evaluate((list) => {
      list.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, bubbles: true }))
      list.scrollTop = 0
    })
    const before = first
    first = await until('an older page', async () => {
      const now = await firstDrawn(page)
      return now < before && now
    })
  }
  return pages
}

function firstDrawn(page: Person['page']): Promise<number> {
  return page.evaluate(() => {
    const drawn = [...document.querySelectorAll<HTMLElement>('[role=log] [data-seq]')]
    return Math.min(...drawn.map(({ dataset }) => Number(dataset.seq)))
  })
}

async function heapMib(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  return Math.round(usedSize / 1_048_576)
}
