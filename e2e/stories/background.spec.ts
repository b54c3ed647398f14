import { inBothThemes } from '../support/browser/axe'
import { screens } from '../support/browser/screens'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'

const scriptOf = (steps: readonly object[]) => `Please. SCRIPT: ${JSON.stringify(steps)}`
const helper = {
  name: 'Agent',
  input: {
    description: 'Review the change',
    run_in_background: true,
    prompt: scriptOf([
      { tool: 'Write', input: { file_path: 'review.txt', content: 'fine' } },
      { text: 'The change is fine.' },
    ]),
  },
}
const server = {
  name: 'Bash',
  ask: false,
  input: { command: 'sleep 600', description: 'npm run dev', run_in_background: true },
  progress: [
    ...Array.from({ length: 40 }, (_, n) => `GET /page/${n} 200\n`),
    '\u001b[32mReady\u001b[0m on http://localhost:3000\n',
  ],
}

const beside = (command: string, description: string, progress: string[] = []) => {
  return { name: 'Bash', ask: false, input: { command, description, run_in_background: true }, progress }
}
const tests = beside('sleep 1; exit 3', 'npm test', ['1 of 2 fails\n'])
const build = beside('sleep 0.9', 'npm run build')
const failing = {
  name: 'Agent',
  input: {
    description: 'Break the build',
    run_in_background: true,
    prompt: scriptOf([{ text: 'I begin.' }, { error: 400, message: 'no such model' }]),
  },
}

for (const viewport of screens) {
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport })

    test('[PERM-1.14] [SES-6] what runs in the background asks after the turn, is listed and is stopped', async ({
      person,
    }) => {
      const { page, status, transcript } = person
      await person.startSession(scriptOf([{ tools: [helper, server] }, { text: 'Both run.' }]))
      await expect(person.turnEnds('completed')).toHaveCount(1)
      await expect(status).toContainText('Needs you')
      const session = page.url()
      await page.goto(new URL('/sessions?status=needs_you', session).href)
      const row = page.getByRole('listitem').filter({ has: page.locator(`a[href="${new URL(session).pathname}"]`) })
      await expect(row).toContainText('2 in background')
      await expect(row).toContainText('Needs you')
      for (const other of ['Idle', 'Working']) {
        await page.getByLabel('State').selectOption(other)
        await expect(row).toHaveCount(0)
      }
      await page.goto(session)
      await expect(page).toHaveTitle(/^\(\d+\)/)
      await expect(person.ask.getByRole('button', { name: 'Deny…' })).toBeEnabled()
      await expect(person.ask.getByRole('button', { name: 'Stop turn' })).toHaveCount(0)
      const cards = transcript.locator('[data-testid=tool-card][data-state=running]')
      await expect(cards).toHaveText([/in background/, /in background/])
      const open = page.getByRole('button', { name: '2 running in the background' })
      await open.click()
      const list = page.getByRole('dialog', { name: 'Running in the background' })
      await expect(list.getByRole('listitem')).toHaveText([
        /Review the change.*Sub-agent, for \d+(\.\d)? s/,
        /npm run dev.*Command, for \d+(\.\d)? s/,
      ])
      await expect(list.getByRole('listitem').first()).toContainText('review.txt')
      const output = list.getByRole('group', { name: 'Output of npm run dev' })
      await expect(output).toContainText('GET /page/39 200\nReady on http://localhost:3000')
      await expect(output.getByText('Ready on')).toBeInViewport()
      await expect(output).not.toContainText('GET /page/1 ')
      await expect(cards.nth(1)).toContainText('Ready on http://localhost:3000')
      const box = await list.boundingBox()
      expect(box && box.x >= 0 && box.x + box.width <= viewport.width).toBe(true)
      await list.getByRole('button', { name: 'Stop npm run dev' }).click()
      await expect(list.getByRole('listitem')).toHaveCount(1)
      await expect(transcript).toContainText('Background command stopped: npm run dev')
      await page.keyboard.press('Escape')
      await person.answer('Allow')
      await expect(transcript).toContainText('The change is fine.')
      await expect(page.getByRole('button', { name: /running in the background/ })).toHaveCount(0)
      await expect(status).toContainText('Idle')
      await expect(cards).toHaveCount(0)
    })

    variation(
      '[SES-6] how each ended is on its card, with how long it ran and what it printed, also after a reload',
      async ({ person }) => {
        const { page, transcript } = person
        await person.startSession(scriptOf([{ tools: [tests, build, failing, server] }, { text: 'All run.' }]))
        const card = (object: string) => transcript.getByTestId('tool-card').filter({ hasText: object })
        await expect(card('sleep 1; exit 3')).toContainText(/failed.*exit code 3.*\d m?s/)
        await expect(person.turnEnds('completed')).toHaveCount(1)
        await expect(person.status).toHaveText('Working')
        await expect(transcript).toContainText('Background command failed with exit code 3: npm test')
        await page.getByRole('button', { name: '1 running in the background' }).click()
        await page.getByRole('button', { name: 'Stop npm run dev' }).click()
        await expect(card('sleep 600')).toHaveAttribute('data-state', 'stopped')

        await page.reload()
        await expect(card('sleep 1; exit 3')).toContainText(/failed.*exit code 3.*\d m?s/)
        await expect(card('sleep 0.9')).toContainText(/done.*\d ms|done.*\d s/)
        await expect(card('Break the build')).toContainText('failed')
        await expect(card('sleep 600')).toContainText(/stopped.*\d/)
        await expect(transcript.locator('[data-testid=tool-card][data-state=running]')).toHaveCount(0)
        await card('sleep 1; exit 3').getByRole('button').click()
        await expect(card('sleep 1; exit 3').getByRole('group', { name: 'Output' })).toContainText('1 of 2 fails')
        const toModel = card('sleep 1; exit 3').getByText('Runs in the background as')
        await expect(toModel).toBeHidden()
        await card('sleep 1; exit 3').getByText('What the model read').click()
        await expect(toModel).toBeVisible()
        await card('Break the build').getByRole('button').first().click()
        await expect(card('Break the build')).toContainText('no such model')
        expect(await inBothThemes(page)).toEqual([])
      },
    )
  })
}
