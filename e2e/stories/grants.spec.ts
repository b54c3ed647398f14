/** "Allow for session" as a person meets it: what it covers is chosen in words, its answers are shown and taken back (PERM-5). */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { screens } from '../support/browser/screens'
import { expect, onBackend, type Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { askingStep, type BackendKind } from '../support/processes/backends'
import { playedOn, wholeMatrix } from '../support/rigs/whole-matrix'

const asks = (kind: BackendKind, ...commands: string[]) => {
  const steps = commands.map((command) => ({ ...askingStep(kind, command, `It says: ${command}`), ...scripted(kind) }))
  return `Do it. SCRIPT: ${JSON.stringify([...steps, { text: 'Done.' }])}`
}
const scripted = (kind: BackendKind) => (kind === 'scripted' ? { ask: true, output: 'ok' } : {})

const begins = 'commands that begin with “mkdir”'
const cards = ({ transcript }: Person) => transcript.getByTestId('tool-card')

async function endsDenied(person: Person): Promise<void> {
  await expect(person.ask).toContainText('pnpm')
  await person.answer('Deny…')
  await person.answer('Deny')
  await expect(person.turnEnds('completed')).toHaveCount(1)
}

for (const kind of playedOn('codex')) {
  onBackend(kind, () => {
    test('[PERM-5.16] commands that begin so are answered, and another command beside one of them is asked about', async ({
      person,
      system,
    }) => {
      const made = (name: string) => existsSync(path.join(system.workDir, name))
      const other = 'mkdir -p pnpm; mkdir -p three && touch four'
      await person.startSession(asks(kind, 'mkdir -p one', 'mkdir -p two/deep', other))
      await person.allowForSession(begins)
      await endsDenied(person)
      expect(['one', 'two/deep', 'pnpm', 'three', 'four'].map(made)).toEqual([true, true, false, false, false])
      await expect(cards(person).nth(0)).toContainText(`Allowed for this session by Ana: ${begins}`)
      await expect(cards(person).nth(1)).toContainText(`Allowed by an active permission: ${begins}`)

      await cards(person).nth(1).getByRole('button', { name: 'Revoke' }).click()
      await expect(person.transcript.getByRole('button', { name: 'Revoke' })).toHaveCount(0)
      await person.send(asks(kind, 'mkdir -p five'))
      await expect(person.ask).toContainText('mkdir -p five')
      expect(made('five')).toBe(false)
      await person.answer('Allow')
      await expect(person.turnEnds('completed')).toHaveCount(2)
      expect(made('five')).toBe(true)
    })
  })
}

const writes = (...files: string[]) => {
  const steps = files.map((file) => ({ tool: 'Write', input: { file_path: file, content: `${file}\n` } }))
  return `Do it. SCRIPT: ${JSON.stringify([...steps, { text: 'Done.' }])}`
}

for (const kind of wholeMatrix ? (['claude', 'scripted'] as const) : (['scripted'] as const)) {
  onBackend(kind, () => {
    for (const size of screens) {
      test(`[PERM-5.24] [PERM-5.27] at ${size.width} px edits of one file are answered, then those below its folder, and hidden files never`, async ({
        person,
        system,
      }) => {
        const folder = path.join(system.workDir, `edits-${size.width}`)
        const [a = '', b = '', c = '', hidden = ''] = ['a.txt', 'b.txt', 'deep/c.txt', '.hidden'].map((name) =>
          path.join(folder, name),
        )
        const inFolder = `edits of files in ${folder} and below it, hidden files left out`
        await person.page.setViewportSize(size)
        await person.startSession(writes(a, a, b, b, c, hidden))
        await expect(person.ask).toContainText('a.txt')
        await person.readToTheEnd()
        await person.allowForSession(`edits of ${a}`)
        await expect(person.ask).toContainText('b.txt')
        const answered = cards(person).filter({ hasText: 'Allowed by an active permission' })
        await expect(answered).toContainText(`edits of ${a}`)
        await person.readToTheEnd()
        await person.allowForSession(inFolder)
        await expect(person.ask).toContainText('.hidden')
        expect([a, b, c, hidden].map((file) => existsSync(file))).toEqual([true, true, true, false])
        await expect(answered.filter({ hasText: 'deep/c.txt' })).toContainText(inFolder)
        await person.page.screenshot({ path: `test-results/grants-edits-${kind}-${size.width}.png` })
        await person.answer('Deny…')
        await person.answer('Deny')
        await expect(person.turnEnds('completed')).toHaveCount(1)
      })
    }
  })
}

onBackend('scripted', () => {
  const steps = ['mkdir -p one', 'mkdir -p two', 'mkdir -p pnpm; curl y']

  for (const size of screens) {
    test(`[PERM-5.6] [PERM-5.37] at ${size.width} px a person reads what it covers before they give it, and takes it back where it answered`, async ({
      person,
    }) => {
      await person.page.setViewportSize(size)
      await person.startSession(asks('scripted', ...steps))
      await person.readToTheEnd()
      await person.answer('Allow for session…')
      const chooser = person.ask.getByRole('form', { name: 'Allow for session' })
      await expect(chooser.getByRole('radio')).toHaveCount(2)
      await expect(chooser.getByLabel('exactly this action')).toBeChecked()
      await expect(chooser.getByLabel(begins)).toBeVisible()
      await expect(chooser.getByRole('button', { name: 'Allow for session' })).toBeInViewport()
      await person.page.screenshot({ path: `test-results/grants-chooser-${size.width}.png` })
      await person.answer('Back')
      await person.allowForSession(begins)
      await endsDenied(person)
      await expect(cards(person).nth(1)).toContainText(`Allowed by an active permission: ${begins}`)
      await person.page.screenshot({ path: `test-results/grants-answered-${size.width}.png` })
      await cards(person).nth(1).getByRole('button', { name: 'Revoke' }).click()
      await expect(person.transcript).toContainText('revoked')
      await person.send(asks('scripted', 'mkdir -p three'))
      await expect(person.ask).toContainText('mkdir -p three')
    })
  }

  variation(
    '[PERM-5] by keyboard: s asks what for, a digit chooses, Enter gives it, and Escape goes back',
    async ({ person }) => {
      const { page, ask } = person
      await person.startSession(asks('scripted', ...steps))
      await expect(ask.getByRole('button', { name: 'Allow for session…' })).toBeEnabled()
      await ask.focus()
      await page.keyboard.press('s')
      await expect(ask.getByLabel('exactly this action')).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(ask).toBeFocused()
      await page.keyboard.press('s')
      await page.keyboard.press('2')
      await expect(ask.getByLabel(begins)).toBeChecked()
      await page.keyboard.press('Enter')
      await expect(ask).toContainText('pnpm')
      await expect(cards(person).nth(1)).toContainText('Allowed by an active permission')
    },
  )
})
