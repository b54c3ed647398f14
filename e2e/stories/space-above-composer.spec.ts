/** Whatever stands above or in the composer, the transcript keeps its share of the height, and all of it can be reached. */
import type { Page } from '@playwright/test'
import { pixels } from '../../packages/adapter-testkit/src/fixtures/pixels'
import { screens } from '../support/browser/screens'
import { expect, type Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'

const script = (...steps: object[]) => `Do it. SCRIPT: ${JSON.stringify([...steps, { text: 'Done.' }])}`
const lines = (count: number, line = 'One line of many.') => `${line}\n`.repeat(count)
const options = Array.from({ length: 6 }, (_, n) => ({
  label: `Choice ${n}`,
  description: 'What it is for. '.repeat(8),
}))
const questions = ['First?', 'Second?', 'Third?'].map((question) => ({ question, options }))
const properties = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => [`field${n}`, { type: 'string', title: `Field ${n}` }]),
)
const command = {
  tool: 'Bash',
  ask: true,
  input: { command: lines(80, 'mkdir -p one &&').concat('true') },
  output: 'ok',
}
const made = { ...command, ask: 'It needs a folder. '.repeat(60), input: { command: 'mkdir -p one' } }

interface Case {
  what: string
  step: object
  /** Each is pressed, and left again by *Back*. */
  presses?: readonly string[]
  /** Has to be read to the end first. */
  reads?: boolean
  /** With these at hand it is answered. */
  answers: readonly string[]
}

const cases: readonly Case[] = [
  { what: 'questions', step: { tool: 'AskUserQuestion', input: { questions } }, answers: ['Send answer', 'Decline…'] },
  {
    what: 'a form',
    step: { tool: 'AskByForm', input: { message: 'Who?', requestedSchema: { type: 'object', properties } } },
    answers: ['Send answer', 'Decline…'],
  },
  {
    what: 'a plan',
    step: { tool: 'ExitPlanMode', input: { plan: `# The plan\n\n${lines(80, '1. A step.')}` } },
    presses: ['Keep planning…'],
    answers: ['Approve and keep asking', 'Keep planning…'],
  },
  { what: 'scopes', step: made, reads: true, presses: ['Allow for session…'], answers: ['Allow', 'Deny…'] },
  { what: 'a command', step: command, presses: ['Edit…', 'Deny…'], answers: ['Edit…', 'Deny…', 'Stop turn'] },
]

const queueOf = (page: Page) => page.getByRole('list', { name: 'Queue' })

/** What a person can have in the composer at once: prompts that wait, images, a text that is long. */
async function fillsComposer(person: Person): Promise<void> {
  const { page } = person
  for (const n of [1, 2, 3, 4, 5]) await person.send(`Queued ${n}. ${'It is long. '.repeat(20)}`)
  await expect(queueOf(page).getByText('queued', { exact: true })).toHaveCount(5)
  const image = (n: number) => ({ name: `${n}.png`, mimeType: 'image/png', buffer: Buffer.from(pixels.png, 'base64') })
  await page.getByLabel('Attach images').setInputFiles([...Array(10).keys()].map(image))
  await expect(page.locator('[data-testid=attached-image][data-state=ready]')).toHaveCount(10)
  await page.getByLabel('Prompt').fill(lines(60))
}

/** A card that nearly fits is whole by as much of the transcript's share, and never by more. */
const MOST_TO_BORROW_PX = 64

async function expectShare({ page, transcript }: Person, share: number): Promise<void> {
  const { height = 0 } = page.viewportSize() ?? {}
  const lent = await transcript.evaluate((log) =>
    Number.parseFloat(getComputedStyle(log).getPropertyValue('--lent-room') || '0'),
  )
  expect(lent).toBeLessThanOrEqual(MOST_TO_BORROW_PX)
  const box = await transcript.boundingBox()
  expect(box?.height).toBeGreaterThanOrEqual(height * share - lent)
  expect((box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? 0) <= height).toBe(true)
  // Nothing lies over it: what is at its lower edge belongs to it.
  const covered = await transcript.evaluate((log) => {
    const { left, right, bottom } = log.getBoundingClientRect()
    const found = document.elementFromPoint((left + right) / 2, bottom - 3)
    return found !== null && !log.contains(found) && !found.contains(log)
  })
  expect(covered).toBe(false)
  const high = await page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight)
  expect(high).toBe(0)
}

/** Each is where a finger can hit it, once it is scrolled to. */
async function expectReached({ page, ask }: Person, answers: readonly string[]): Promise<void> {
  for (const name of answers) await ask.getByRole('button', { name, exact: true }).click({ trial: true })
  await page.getByLabel('Prompt').click({ trial: true })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox' }).click({ trial: true })
}

test.use({ actionTimeout: 15_000 })

for (const { width, height } of screens) {
  const share = width < 1000 ? 1 / 4 : 1 / 3

  variation(
    `at ${width} px no question, form, plan, edit, choice, queue, image or long draft takes the transcript's share`,
    async ({ person, page }) => {
      test.setTimeout(180_000)
      await page.setViewportSize({ width, height })
      await person.startSession(script({ text: lines(60, 'A line that was said.\n') }))
      await expect(person.turnEnds('completed')).toHaveCount(1)
      for (const [at, { what, step, reads, presses = [], answers }] of cases.entries()) {
        await test.step(what, async () => {
          if (at > 0) await person.answer('Stop turn')
          await expect(person.ask).toHaveCount(0)
          await person.send(script(step))
          await expect(person.ask.getByRole('button', { name: 'Stop turn' })).toBeEnabled()
          if (reads) await person.readToTheEnd()
          await expectShare(person, share)
          await expectReached(person, answers)
          for (const press of presses) {
            await person.answer(press)
            const back = person.ask.getByRole('button', { name: 'Back' })
            await expect(back).toBeVisible()
            await expectShare(person, share)
            await expectReached(person, ['Back'])
            await back.click()
          }
        })
      }
      await test.step('a long draft keeps its button in sight', async () => {
        await page.getByLabel('Prompt').fill(lines(60))
        await expect(page.getByRole('button', { name: 'Queue', exact: true })).toBeInViewport({ ratio: 1 })
        await expect
          .poll(() =>
            page.getByRole('button', { name: 'Queue', exact: true }).evaluate((button) => {
              const { left, right, bottom } = button.getBoundingClientRect()
              return button.contains(document.elementFromPoint((left + right) / 2, bottom - 2))
            }),
          )
          .toBe(true)
        await page.getByLabel('Prompt').fill('')
      })
      await test.step('all of the composer, below a command', async () => {
        await fillsComposer(person)
        await expectShare(person, share)
        await page.screenshot({ path: `test-results/space-${width}-light.png` })
        await expectReached(person, ['Deny…', 'Edit…'])
        await expectShare(person, share)
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.screenshot({ path: `test-results/space-${width}-dark.png` })
        await person.answer('Stop turn')
        await expect(person.ask).toHaveCount(0)
        await expect(page.getByText('Queue paused')).toBeVisible()
        await expectShare(person, share)
        await page.screenshot({ path: `test-results/space-${width}-no-ask.png` })
      })
    },
  )
}
