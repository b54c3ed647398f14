import { expect, test } from '../support/story'

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

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport })

    test('[PERM-1] [SES-6] what runs in the background asks after the turn, is listed and is stopped', async ({
      person,
    }) => {
      const { page, status, transcript } = person
      await person.startSession(scriptOf([{ tools: [helper, server] }, { text: 'Both run.' }]))
      await expect(person.turnEnds('completed')).toHaveCount(1)
      await expect(status).toContainText('Needs you')
      await expect(page).toHaveTitle(/^\(\d+\)/)
      await expect(person.ask.getByRole('button', { name: 'Deny…' })).toBeEnabled()
      await expect(person.ask.getByRole('button', { name: 'Stop turn' })).toHaveCount(0)
      const cards = transcript.locator('[data-testid=tool-card][data-state=running]')
      await expect(cards).toHaveText([/in background/, /in background/])
      const open = page.getByRole('button', { name: '2 running in the background' })
      await open.click()
      const list = page.getByRole('dialog', { name: 'Running in the background' })
      await expect(list.getByRole('listitem')).toHaveText([/Review the change.*Helper/, /npm run dev.*Command/])
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
  })
}
