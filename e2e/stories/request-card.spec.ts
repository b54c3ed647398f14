/** The card of a request: no higher than what it shows, and nothing of it is cut off. */
import type { Locator } from '@playwright/test'
import { desktop, phone } from '../support/browser/screens'
import { expect, type Person, test } from '../support/browser/story'

const asks = (command: string) =>
  `Do it. SCRIPT: ${JSON.stringify([{ tool: 'Bash', ask: true, input: { command }, output: 'ok' }, { text: 'Done.' }])}`

const bodyOf = ({ ask }: Person) => ask.locator('[data-scroll-body]')

/** Pixels of nothing between the end of the action and the line above the buttons. */
const emptyAbove = ({ ask }: Person) =>
  ask.evaluate((card) => {
    const [body, footer] = [card.querySelector('[data-scroll-body]'), card.querySelector('footer')]
    return (footer?.getBoundingClientRect().top ?? 0) - (body?.getBoundingClientRect().bottom ?? 0)
  })

/** Pixels of the card that are cut off, its action aside. */
const hiddenIn = ({ ask }: Person) => ask.evaluate((card) => card.scrollHeight - card.clientHeight)

/** Everything below the action: the buttons, and the notes below them. */
async function expectWhole(person: Person, parts: readonly Locator[]): Promise<void> {
  for (const part of parts) await expect(part).toBeInViewport({ ratio: 1 })
  expect(await hiddenIn(person)).toBeLessThanOrEqual(0)
}

const partsOf = ({ ask }: Person) => [
  ...['Allow', 'Allow for session…', 'Deny…', 'Stop turn'].map((name) =>
    ask.getByRole('button', { name, exact: true }),
  ),
  ask.getByText('What each decision does'),
]

for (const { width, height } of [desktop, phone]) {
  test(`[PERM-7.1] at ${width} px a short request has no empty part, and its buttons and the note below them are whole`, async ({
    person,
    page,
  }) => {
    await page.setViewportSize({ width, height })
    await person.startSession(asks('npm test'))
    await expect(person.ask.getByRole('button', { name: 'Allow', exact: true })).toBeEnabled()
    await expect.poll(() => emptyAbove(person)).toBeLessThanOrEqual(1)
    await expectWhole(person, partsOf(person))
    const note = person.ask.getByText('What each decision does')
    await note.click()
    const last = person.ask.getByText('Does not run, and the turn ends here.')
    await last.scrollIntoViewIfNeeded()
    await expect(last).toBeInViewport({ ratio: 1 })
    await page.screenshot({ path: `test-results/request-card-${width}-explained.png` })
    if (width === desktop.width) await expectWhole(person, [...partsOf(person), last])
    await note.click()
    await expect.poll(() => emptyAbove(person)).toBeLessThanOrEqual(1)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `test-results/request-card-${width}-${colorScheme}.png` })
    }
    await person.answer('Stop turn')
  })
}

test('on a phone a request whose decision did not reach the hub stays readable beside the reason and a draft', async ({
  person,
  page,
}) => {
  await page.setViewportSize(phone)
  await person.startSession(asks(`echo ${'one-word\\\n'.repeat(30)}`))
  await expect(person.ask.getByRole('button', { name: 'Deny…' })).toBeEnabled()
  await page.route('**/decision', (route) => route.abort())
  await person.answer('Stop turn')
  const refusal = person.ask.getByText('The hub is not responding', { exact: false })
  await expect(refusal).toBeVisible({ timeout: 20_000 })
  // The composer takes its part of the screen while somebody writes.
  await page.getByLabel('Prompt').fill('Later.')
  await expect(page.getByRole('group', { name: 'Composer' }).getByLabel('Model')).toBeVisible()
  await expect.poll(() => bodyOf(person).evaluate((body) => body.clientHeight)).toBeGreaterThanOrEqual(90)
  await expect.poll(() => hiddenIn(person)).toBeLessThanOrEqual(0)
  await refusal.scrollIntoViewIfNeeded()
  await expect(refusal).toBeInViewport({ ratio: 1 })
  await page.screenshot({ path: 'test-results/request-card-refused.png' })
  await page.unroute('**/decision')
  await person.answer('Stop turn')
})
