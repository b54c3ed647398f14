import { expect, type Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'

const count = (to: number) => `Count. SCRIPT: ${JSON.stringify([{ count: { to, prefix: 'numbered' } }])}`

test('[VIEW-5] the link of an event leads there from afar, the pages around it load, and the end is one click away', async ({
  person,
  system,
}) => {
  const { page } = person
  const sessionId = await person.startSession(count(1_500))
  await expect(person.turnEnds('completed')).toHaveCount(1)
  const { session } = await (await system.hub.client()).rest.snapshot(sessionId, 1)
  const seq = session.head - 1_000

  await page.goto(`${system.hub.url}/`)
  await page.goto(`${system.hub.url}/sessions/${sessionId}#e-${seq}`)
  const linked = page.locator(`#e-${seq}`)
  await expect(linked).toBeInViewport()
  const number = Number(/numbered (\d+)/.exec((await linked.textContent()) ?? '')?.[1])
  await expect(page.getByText(`numbered ${number + 1}`, { exact: true })).toBeInViewport()

  // In both directions the window goes on, and it is dense.
  for (const goal of [number - 260, number + 260]) {
    await page.goto(`${system.hub.url}/`)
    await page.goto(`${system.hub.url}/sessions/${sessionId}#e-${seq}`)
    await expect(linked).toBeInViewport()
    const seen = await readOnTo(person, goal)
    const between = Array.from({ length: 261 }, (_, n) => Math.min(number, goal) + n)
    expect(between.filter((n) => !seen.has(n))).toEqual([])
  }

  await page.getByRole('button', { name: /To the end|new/ }).click()
  await expect(page.getByTestId('turn-end')).toBeInViewport()
  await expect(page.getByText('numbered 1500', { exact: true })).toBeInViewport()
})

/**
 * Reads on until this number is drawn, and resolves to all that were drawn on the way. The last row on that side becomes
 * the first in view each time, so that none is passed, however long the page takes to draw.
 */
async function readOnTo({ page, transcript }: Person, goal: number): Promise<Set<number>> {
  const seen = new Set<number>()
  await transcript.hover()
  await page.mouse.wheel(0, 1) // the reader takes over from the link
  await expect(async () => {
    const drawn = await transcript.evaluate(drawnThenOn, goal)
    for (const number of drawn) seen.add(number)
    expect(drawn).toContain(goal)
  }).toPass({ intervals: [50] })
  return seen
}

/** Runs in the page. */
function drawnThenOn(list: Element, goal: number): number[] {
  const rows = [...list.querySelectorAll('[data-seq]')]
    .map((row) => ({
      number: Number(/numbered (\d+)/.exec(row.textContent ?? '')?.[1]),
      at: row.getBoundingClientRect(),
    }))
    .filter(({ number }) => number > 0)
    .sort((one, other) => one.number - other.number)
  const [first, last] = [rows[0], rows.at(-1)]
  const view = list.getBoundingClientRect()
  if (first && goal < first.number) list.scrollTop += first.at.bottom - view.bottom
  if (last && goal > last.number) list.scrollTop += last.at.top - view.top
  return rows.map(({ number }) => number)
}

variation(
  '[VIEW-5] who is led to an event and turns away at once is not pulled back, by wheel or by key',
  async ({ person, system }) => {
    const { page } = person
    const sessionId = await person.startSession(count(600))
    await expect(person.turnEnds('completed')).toHaveCount(1)
    const { session } = await (await system.hub.client()).rest.snapshot(sessionId, 1)
    const seq = session.head - 300
    for (const away of ['wheel', 'key'] as const) {
      await page.goto(`${system.hub.url}/`)
      await page.goto(`${system.hub.url}/sessions/${sessionId}#e-${seq}`, { waitUntil: 'commit' })
      const led = await page.evaluate(turnAwayOnceThere, { seq, away })
      await expect(page.getByText(`numbered ${led - 148}`, { exact: true })).toBeInViewport()
    }
  },
)

/** Runs in the page: goes to the top of the list as soon as the row of an event is in view; resolves to its number. */
async function turnAwayOnceThere({ seq, away }: { seq: number; away: 'wheel' | 'key' }): Promise<number> {
  for (;;) {
    await new Promise(requestAnimationFrame)
    const list = document.querySelector('[role=log]')
    const row = document.getElementById(`e-${seq}`)
    const view = list?.getBoundingClientRect()
    const at = row?.getBoundingClientRect()
    if (!list || !row || !view || !at || at.top < view.top || at.bottom > view.bottom) continue
    if (away === 'wheel') list.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, bubbles: true }))
    else list.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true }))
    list.scrollTop = 0
    return Number(/numbered (\d+)/.exec(row.textContent ?? '')?.[1])
  }
}

variation('the place above the end survives a reload; find looks through what is not drawn', async ({ person }) => {
  const { page } = person
  await person.startSession(count(600))
  await expect(person.turnEnds('completed')).toHaveCount(1)
  await page.reload()
  await expect(page.getByText('numbered 600', { exact: true })).toBeInViewport()
  await page.keyboard.press('Control+f')
  await page.keyboard.insertText('numbered 150')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Search older events' })).toBeVisible()
  await expect(async () => {
    if (await page.getByText('none', { exact: true }).isVisible())
      await page.getByRole('button', { name: 'Search older events' }).click()
    await page.getByLabel('Find in this session').press('Enter')
    await expect(page.getByText('numbered 150', { exact: true })).toBeInViewport({ timeout: 500 })
  }).toPass()
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => Object.keys(sessionStorage).some((key) => key.startsWith('roundhouse.place.')))
  await page.reload()
  await expect(page.getByText('numbered 150', { exact: true })).toBeInViewport()
})

variation(
  'who turns away from the end leaves it, also where the page is busy and hears late of where it scrolled to',
  async ({ person }) => {
    const { page } = person
    await person.startSession(
      `Count. SCRIPT: ${JSON.stringify([{ count: { to: 100, prefix: 'early' } }, { count: { to: 2000, delayMs: 25, prefix: 'late' } }])}`,
    )
    await expect(page.getByText(/^late \d+$/).first()).toBeVisible()
    await person.transcript.hover()
    await page.evaluate(stayBusyAfterTheWheel)
    await page.mouse.wheel(0, -600)
    await expect(page.getByRole('button', { name: /new$/ })).toBeVisible()
  },
)

/** Runs in the page: once the wheel was heard, nothing else is heard for a while, but the list was sent to its end before. */
function stayBusyAfterTheWheel(): void {
  const list = document.querySelector('[role=log]')
  const busy = () => {
    if (list) list.scrollTop = list.scrollHeight
    for (const until = performance.now() + 400; performance.now() < until; );
  }
  window.addEventListener('wheel', busy, { once: true })
}

test('who reads above stays there while it streams, and is told how much is new', async ({ person }) => {
  const { page } = person
  await person.startSession(
    `Count. SCRIPT: ${JSON.stringify([{ count: { to: 300, prefix: 'early' } }, { count: { to: 150, delayMs: 60, prefix: 'late' } }])}`,
  )
  await expect(page.getByText(/^late \d+$/).first()).toBeVisible()
  await person.transcript.hover()
  await page.mouse.wheel(0, -3_000)
  const news = page.getByRole('button', { name: /new$/ })
  await expect(news).toBeVisible()
  const firstRow = () =>
    page.evaluate(() => {
      const list = document.querySelector('[role=log]')
      const top = list?.getBoundingClientRect().top ?? 0
      const rows = [...(list?.querySelectorAll<HTMLElement>('[data-seq]') ?? [])]
      const row = rows.find((each) => each.getBoundingClientRect().top >= top)
      return [row?.dataset.seq, Math.round((row?.getBoundingClientRect().top ?? 0) - top)]
    })
  const before = await firstRow()
  // The stream alone takes 9 s.
  await expect(page.getByTestId('session')).toHaveAttribute('data-status', 'idle', { timeout: 60_000 })
  await expect(person.turnEnds('completed')).toHaveCount(0)
  expect(await firstRow()).toEqual(before)
  await news.click()
  await expect(page.getByText('late 150', { exact: true })).toBeInViewport()
})

variation(
  '[VIEW-5] who sends a prompt is led to it and follows, also from a card that was opened at the end',
  async ({ person, page }) => {
    const output = Array.from({ length: 60 }, (_, line) => `output ${line}`).join('\n')
    const first = [{ count: { to: 30, delayMs: 0 } }, { tool: 'Read', input: { file_path: 'notes.txt' }, output }]
    await person.startSession(`First. SCRIPT: ${JSON.stringify(first)}`)
    await expect(person.turnEnds('completed')).toHaveCount(1)
    const end = page.getByRole('button', { name: /^To the end$|new$/ })
    await person.transcript.getByTestId('tool-card').last().getByRole('button').first().click()
    await expect(end).toBeVisible()
    await person.send(`Second. SCRIPT: ${JSON.stringify([{ count: { to: 40, delayMs: 20, prefix: 'after' } }])}`)
    await expect(person.transcript.getByText('after 40', { exact: true })).toBeInViewport()
    await expect(end).toBeHidden()
  },
)
