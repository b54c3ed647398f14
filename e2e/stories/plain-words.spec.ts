/** What cards and requests are called, and that their answers are within reach. */
import type { Locator } from '@playwright/test'
import { screens } from '../support/browser/screens'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'

const script = (steps: unknown[]) => `Do it. SCRIPT: ${JSON.stringify(steps)}`

async function isReachable(button: Locator): Promise<void> {
  await expect(button).toBeInViewport({ ratio: 1 })
  const isOnTop = await button.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const corners = [top + 2, top + height - 2].map((y) => document.elementFromPoint(left + width / 2, y))
    return corners.every((found) => element.contains(found))
  })
  expect(isOnTop).toBe(true)
}

for (const viewport of screens) {
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport })

    variation(
      'a file of the session is called by its place in the folder; its whole path is one look away',
      async ({ person, system }) => {
        const inside = `${system.workDir}/src/deep/note.txt`
        await person.startSession(
          script([
            { tool: 'Read', ask: false, input: { file_path: inside } },
            { tool: 'Read', ask: false, input: { file_path: '/etc/hostname' } },
          ]),
        )
        await expect(person.turnEnds('completed')).toHaveCount(1)
        const [first, second] = [0, 1].map((n) => person.transcript.getByTestId('tool-card').nth(n)) as [
          Locator,
          Locator,
        ]
        const title = first.getByTitle(inside)
        await expect(title).toHaveText('src/deep/note.txt')
        await expect(second).toContainText('/etc/hostname')
        // It failed, so its details stand open.
        await expect(first).toContainText(inside)
      },
    )

    variation(
      '[PERM-2] modes are called as their pickers call them, and a plan is not said to be one twice',
      async ({ person }) => {
        await person.startSession(
          script([{ tool: 'ExitPlanMode', input: { plan: '# Plan\n\n1. Write the file' } }, { text: 'Done.' }]),
        )
        await person.answer('Approve and accept edits')
        await expect(person.turnEnds('completed')).toHaveCount(1)
        const { transcript } = person
        await expect(transcript).toContainText('Approved by Ana; continues in mode “Accept edits”')
        await expect(transcript).toContainText('Changed to mode “Accept edits”')
        await expect(transcript).not.toContainText('acceptEdits')
        await expect(transcript.getByTestId('tool-card').getByRole('button').first()).toContainText('Write the file')
        await expect(transcript.getByTestId('tool-card').getByRole('button').first()).not.toContainText('Plan Plan')
      },
    )

    variation('a reason that only repeats the command is left out', async ({ person }) => {
      await person.startSession(
        script([
          { tool: 'Bash', input: { command: 'npm test' }, ask: 'Run npm test' },
          { tool: 'Bash', input: { command: 'npm run lint' }, ask: 'to see it clean' },
        ]),
      )
      await expect(person.ask).toContainText('npm test')
      await expect(person.ask.getByRole('term').filter({ hasText: 'Why' })).toHaveCount(0)
      await person.answer('Allow')
      await expect(person.ask).toContainText('to see it clean')
      await expect(person.ask.getByRole('term').filter({ hasText: 'Why' })).toHaveCount(1)
      await person.answer('Allow')
      await expect(person.turnEnds('completed')).toHaveCount(1)
    })

    variation(
      '[PERM-5] what a session may go on to do is chosen within reach, beside a long draft',
      async ({ person, page, system }) => {
        await person.startSession(
          script([{ tool: 'Write', input: { file_path: `${system.workDir}/short.txt`, content: 'x' } }]),
        )
        const { ask } = person
        await page.getByLabel('Prompt').fill('One line of many.\n'.repeat(300))
        for (const place of ['its session', 'the inbox']) {
          if (place === 'the inbox') await page.goto(`${system.hub.url}/`)
          await person.readToTheEnd()
          await person.answer('Allow for session…')
          for (const name of ['Allow for session', 'Back'])
            await isReachable(ask.getByRole('button', { name, exact: true }))
          await person.answer('Back')
        }
        await person.answer('Stop turn')
        await expect(ask).toHaveCount(0)
      },
    )

    test('[PERM-7] the answers of a long request are within reach on the page of its session and in the inbox', async ({
      person,
      page,
      system,
    }) => {
      const content = 'One line of many.\n'.repeat(300)
      await person.startSession(
        script([{ tool: 'Write', input: { file_path: `${system.workDir}/long.txt`, content } }]),
      )
      const { ask } = person
      const names = ['Allow', 'Allow for session…', 'Deny…', 'Stop turn']
      const answers = () => names.map((name) => ask.getByRole('button', { name, exact: true }))
      await page.getByLabel('Prompt').fill(content)
      for (const place of ['its session', 'the inbox']) {
        if (place === 'the inbox') await page.goto(`${system.hub.url}/`)
        await expect(ask).toBeVisible()
        for (const button of answers()) await isReachable(button)
        await ask.getByText('What each decision does').click()
        await expect(ask.getByText('What each decision does').locator('..')).toHaveAttribute('open', '')
        for (const button of answers()) await isReachable(button)
        await ask.getByText('What each decision does').click()
        await person.answer('Deny…')
        for (const name of ['Deny', 'Back']) await isReachable(ask.getByRole('button', { name, exact: true }))
        await person.answer('Back')
      }
      await person.answer('Stop turn')
      await expect(ask).toHaveCount(0)
    })
  })
}
