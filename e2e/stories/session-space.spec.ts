/** What has room on the page of a session, measured in boxes. */
import { chromium, type Locator, type Page } from '@playwright/test'
import { screens } from '../support/browser/screens'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { signInPage } from '../support/processes/browser-login'

interface Box {
  x: number
  y: number
  right: number
  bottom: number
  height: number
}

const script = (steps: unknown[]) => `Do it. SCRIPT: ${JSON.stringify(steps)}`
const long = (file: string) =>
  script([
    { text: 'A file of many lines comes next.' },
    { tool: 'Write', input: { file_path: file, content: 'One line of many.\n'.repeat(300) } },
  ])

const composerOf = (page: Page) => page.getByRole('group', { name: 'Composer' })
const navigationOf = (page: Page) => page.getByRole('navigation', { name: 'Main' })

async function boxOf(place: Locator): Promise<Box> {
  const box = await place.boundingBox()
  if (!box) throw new Error('It is not on the page.')
  return { x: box.x, y: box.y, right: box.x + box.width, bottom: box.y + box.height, height: box.height }
}

const apart = (one: Box, other: Box) =>
  one.bottom <= other.y + 0.5 || other.bottom <= one.y + 0.5 || one.right <= other.x + 0.5 || other.right <= one.x + 0.5

test.afterEach(async ({ person }) => {
  const stop = person.ask.getByRole('button', { name: 'Stop turn' })
  if (await stop.isVisible()) await stop.click()
})

for (const { width, height } of screens) {
  const share = width < 1000 ? 1 / 4 : 1 / 3

  test(`at ${width} px a long prompt leaves the transcript its share, and everything has the same edges`, async ({
    person,
    page,
    system,
  }) => {
    await page.setViewportSize({ width, height })
    await person.startSession(long(`${system.workDir}/space-${width}.txt`))
    await expect(person.ask).toBeVisible()
    await page.reload()
    await expect(person.ask.getByRole('button', { name: 'Deny…' })).toBeEnabled()
    const [transcript, ask, composer] = [
      await boxOf(person.transcript),
      await boxOf(person.ask),
      await boxOf(composerOf(page)),
    ]
    expect(transcript.height).toBeGreaterThanOrEqual(height * share)
    expect(transcript.bottom).toBeLessThanOrEqual(ask.y)
    expect(ask.bottom).toBeLessThanOrEqual(composer.y)
    expect(apart(composer, await boxOf(navigationOf(page)))).toBe(true)
    expect(composer.bottom).toBeLessThanOrEqual(height)
    await expect(person.ask.getByRole('button', { name: 'Stop turn' })).toBeInViewport({ ratio: 1 })
    const card = await boxOf(person.transcript.getByTestId('tool-card').first())
    for (const box of [ask, composer]) expect([box.x, box.right]).toEqual([card.x, card.right])
  })
}

variation('a scroll bar that takes space moves no edge', async ({ person, page, system, launchOptions }) => {
  await person.startSession(long(`${system.workDir}/space-bars.txt`))
  await expect(person.ask).toBeVisible()
  const browser = await chromium.launch({ ...launchOptions, ignoreDefaultArgs: ['--hide-scrollbars'] })
  const other = await browser.newPage({ viewport: { width: 1440, height: 500 } })
  await other.setViewportSize({ width: 1440, height: 700 })
  await signInPage(other, system.hub.url)
  await other.goto(page.url())
  const ask = other.getByTestId('permission-prompt')
  await expect(ask).toBeVisible()
  const log = other.getByRole('log', { name: 'Transcript' })
  expect(await log.evaluate((element) => element.getBoundingClientRect().width - element.clientWidth)).toBeGreaterThan(
    5,
  )
  const card = await boxOf(log.getByTestId('tool-card').first())
  for (const place of [ask, composerOf(other)]) {
    const box = await boxOf(place)
    expect([box.x, box.right]).toEqual([card.x, card.right])
  }
  await browser.close()
})

for (const { what, size } of [
  { what: 'at 320 px', size: { width: 320, height: 640 } },
  { what: 'at 200 % zoom', size: { width: 720, height: 450 } },
]) {
  const story = size.width === 320 ? test : variation
  story(`${what} the page scrolls as one, and nothing lies over the navigation`, async ({ person, page, system }) => {
    await person.startSession(long(`${system.workDir}/space-${size.width}.txt`))
    await expect(person.ask).toBeVisible()
    await page.setViewportSize(size)
    const root = await page.evaluate(() => {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement
      return { wide: scrollWidth - clientWidth, high: scrollHeight - clientHeight }
    })
    expect(root.wide).toBe(0)
    expect(root.high).toBeGreaterThan(100)
    const places = [person.transcript, person.ask, composerOf(page), navigationOf(page)]
    const boxes = await Promise.all(places.map(boxOf))
    for (const [at, box] of boxes.entries()) {
      for (const other of boxes.slice(at + 1)) expect(apart(box, other)).toBe(true)
    }
    const transcript = await boxOf(person.transcript)
    expect(transcript.height).toBeGreaterThanOrEqual(size.height / 3)
    await navigationOf(page).getByRole('link', { name: 'Inbox' }).scrollIntoViewIfNeeded()
    await person.ask.getByRole('button', { name: 'Stop turn' }).click()
    await expect(person.turnEnds('interrupted')).toHaveCount(1)
  })
}

variation('on a phone the composer is one line until it is used', async ({ person, page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await person.startSession('Show me nothing. SCRIPT: [{"text":"Nothing."}]')
  await expect(person.turnEnds('completed')).toHaveCount(1)
  await page.reload()
  const composer = composerOf(page)
  await expect(composer.getByRole('button', { name: 'Send' })).toBeVisible()
  await expect(composer.getByLabel('Model')).toBeHidden()
  expect((await boxOf(composer)).height).toBeLessThanOrEqual(56)
  await page.getByLabel('Prompt').click()
  await expect(composer.getByLabel('Model')).toBeVisible()
})

variation(
  'on a phone everything of a used composer lies inside of it, while a turn runs as well',
  async ({ person, page }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await person.startSession('Show me nothing. SCRIPT: [{"text":"Nothing."}]')
    await expect(person.turnEnds('completed')).toHaveCount(1)
    await person.send('Count. SCRIPT: [{"count":{"to":10000,"delayMs":50}}]')
    const composer = composerOf(page)
    await page.getByLabel('Prompt').fill('Next.')
    await expect(composer.getByRole('button', { name: 'Queue' })).toBeEnabled()
    await expect(composer.getByRole('button', { name: /^Context: / })).toBeVisible()
    const frame = await boxOf(composer)
    for (const button of await composer.getByRole('button').all()) {
      if (await button.isVisible()) expect((await boxOf(button)).right).toBeLessThanOrEqual(frame.right)
    }
    await page.getByLabel('Prompt').fill('')
    await composer.getByRole('button', { name: 'Stop turn' }).click()
    await expect(person.turnEnds('interrupted')).toHaveCount(1)
  },
)

variation('on a phone the answers take two rows, and Stop turn is there once', async ({ person, page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await person.startSession(script([{ tool: 'Bash', input: { command: 'npm test' }, output: 'ok' }]))
  await expect(person.ask.getByRole('button', { name: 'Allow', exact: true })).toBeEnabled()
  const answers = ['Allow', 'Allow for session…', 'Edit…', 'Deny…', 'Stop turn']
  const boxes = await Promise.all(answers.map((name) => boxOf(person.ask.getByRole('button', { name, exact: true }))))
  expect(new Set(boxes.map(({ y }) => y)).size).toBe(2)
  await expect(page.getByRole('button', { name: 'Stop turn' })).toHaveCount(1)
})

variation('after a session was started the focus is in the composer', async ({ person, page }) => {
  await person.startSession('Show me nothing. SCRIPT: [{"text":"Nothing."}]')
  await expect(page.getByLabel('Prompt')).toBeFocused()
})
