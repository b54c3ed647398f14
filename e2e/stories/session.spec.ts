import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onBackend, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { backendKinds, numbered, prompts } from '../support/processes/backends'
import { wholeMatrix } from '../support/rigs/whole-matrix'

for (const kind of backendKinds) {
  onBackend(kind, () => {
    // Of the two real programs one streams and one asks: the page is the same.
    const streamStory = kind === 'codex' ? variation : test
    streamStory('a person starts a session and sees it stream', async ({ person }) => {
      await person.startSession(prompts.stream(60))
      await expect(person.page.getByTestId('live-block')).toContainText('word5')
      await expect(person.turnEnds('completed')).toHaveCount(1)
      await expect(person.transcript.getByTestId('assistant-text')).toHaveText(numbered(60))
      await expect(person.page.getByTestId('live-block')).toHaveCount(0)
    })

    // Scripted has none, Claude has one.
    const story = kind === 'codex' ? variation : test
    story(
      '[RES-9.15] the menu has the command that continues the conversation in a terminal, where the program has one',
      async ({ person, system }) => {
        const { page } = person
        await person.startSession(prompts.say('Hello.'))
        await page.getByRole('button', { name: 'More for this session' }).click()
        await expect(page.getByRole('menuitem', { name: 'Rename…' })).toBeVisible()
        const item = page.getByRole('menuitem', { name: 'Continue in a terminal…' })
        if (kind === 'scripted') return await expect(item).toHaveCount(0)
        await item.click()
        const dialog = page.getByRole('dialog', { name: 'Continue in a terminal' })
        await expect(dialog).toContainText('The program is running here.')
        const resume = { claude: 'claude --resume', codex: 'codex resume' }[kind]
        await expect(dialog.getByTestId('terminal-command')).toHaveText(
          new RegExp(`^cd ${system.workDir} && ${resume} [0-9a-f-]{36}$`),
        )
      },
    )

    const allowStory = kind === 'claude' ? variation : test
    allowStory('allow runs the tool', async ({ person, system }) => {
      const file = path.join(system.workDir, 'allowed.txt')
      await person.startSession(prompts.write(kind, file, 'yes', 'Written.'))
      await expect(person.ask).toContainText('allowed.txt')
      expect(existsSync(file)).toBe(false)
      await person.answer('Allow')
      await expect(person.turnEnds('completed')).toHaveCount(1)
      expect(readFileSync(file, 'utf8')).toBe('yes\n')
      await expect(person.transcript.getByTestId('tool-card')).toContainText('Allowed by Ana')
    })

    // The page does the rest alike for every program; `npm run matrix` plays it on the real ones, too.
    if (kind !== 'scripted' && !wholeMatrix) return

    variation('[PERM-5.4] allow for session: the same call again is not asked', async ({ person, system }) => {
      await person.startSession(prompts.makeTwice(kind, path.join(system.workDir, 'made'), 'Made twice.'))
      await person.allowForSession('exactly this action')
      await expect(person.turnEnds('completed')).toHaveCount(1)
      const cards = person.transcript.getByTestId('tool-card')
      await expect(cards).toHaveCount(2)
      await expect(cards.nth(0)).toContainText('Allowed for this session by Ana')
      await expect(cards.nth(1)).toContainText('Allowed by an active permission: exactly this action')
    })

    test('deny with a reason: the tool does not run and the turn goes on', async ({ person, system }) => {
      const file = path.join(system.workDir, 'denied.txt')
      await person.startSession(prompts.write(kind, file, 'no', 'Understood.'))
      await person.answer('Deny…')
      await person.ask.getByLabel('Reason for the model').fill('Not on a Friday.')
      await person.answer('Deny')
      await expect(person.turnEnds('completed')).toHaveCount(1)
      await expect(person.transcript.getByTestId('tool-card')).toContainText('Denied by Ana: Not on a Friday.')
      expect(existsSync(file)).toBe(false)
    })

    test('abort: the tool does not run and the turn ends', async ({ person, system }) => {
      const file = path.join(system.workDir, 'aborted.txt')
      await person.startSession(prompts.write(kind, file, 'no', 'Never said.'))
      await person.answer('Stop turn')
      await expect(person.turnEnds('interrupted')).toHaveCount(1)
      expect(existsSync(file)).toBe(false)
      await person.send(prompts.say('Still here.'))
      await expect(person.transcript.getByTestId('assistant-text').last()).toHaveText('Still here.')
    })

    test('stop ends the turn, and the session goes on', async ({ person }) => {
      await person.startSession(prompts.stream(2_000))
      await expect(person.page.getByTestId('live-block')).toContainText('word3')
      await person.page.getByRole('button', { name: 'Stop' }).click()
      await expect(person.turnEnds('interrupted')).toHaveCount(1)
      await person.send(prompts.say('Next turn.'))
      await expect(person.transcript.getByTestId('assistant-text').last()).toHaveText('Next turn.')
    })
  })
}
