/** What a program asks for is changed before it is allowed: a command, the content of a file, any other input as JSON (PERM-2). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onBackend, type Person, test } from '../support/story'

const script = (...steps: object[]) => `Do it. SCRIPT: ${JSON.stringify([...steps, { text: 'Done.' }])}`
const card = ({ transcript }: Person) => transcript.getByTestId('tool-card')

async function edits({ page, ask }: Person, label: string, text: string): Promise<void> {
  await ask.getByLabel(`${label}, edited`).fill(text)
  const allow = ask.getByRole('button', { name: 'Allow edited' })
  await expect(allow).toBeInViewport()
  await page.screenshot({ path: `test-results/edited-${label}-${page.viewportSize()?.width}.png` })
  await allow.click()
}

/** The card shows what was asked, and what ran instead. */
async function expectBoth(person: Person, asked: string, ran: string): Promise<void> {
  await expect(card(person)).toContainText('Allowed by Ana, edited')
  await card(person).getByRole('button').first().click()
  await expect(card(person)).toContainText(asked)
  await expect(card(person).getByTestId('tool-ran')).toContainText(ran)
}

for (const size of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test.describe(`at ${size.width} px`, () => {
    test.use({ viewport: size })

    test('[PERM-2] the content of a file is edited and written, and never as it was asked', async ({
      person,
      system,
    }) => {
      const file = path.join(system.workDir, `content-${size.width}.txt`)
      await person.startSession(script({ tool: 'Write', input: { file_path: file, content: 'first\nas asked\n' } }))
      await person.readToTheEnd()
      await person.answer('Edit…')
      await edits(person, 'Content', 'first\nas edited\n')
      await expect(person.turnEnds('completed')).toHaveCount(1)
      expect(readFileSync(file, 'utf8')).toBe('first\nas edited\n')
      await expectBoth(person, 'as asked', 'as edited')
    })

    test('[PERM-2] an input of another tool is edited as JSON, and goes out only when it is an object', async ({
      person,
      system,
    }) => {
      writeFileSync(path.join(system.workDir, 'edited.txt'), 'read\n')
      await person.startSession(script({ tool: 'Read', ask: true, input: { file_path: 'asked.txt' } }))
      await person.readToTheEnd()
      await person.answer('Edit…')
      const field = person.ask.getByLabel('Input, edited')
      const allow = person.ask.getByRole('button', { name: 'Allow edited' })
      await field.fill('{"file_path": ')
      await expect(person.ask.getByRole('status').last()).toHaveText('This is not valid JSON yet.')
      await expect(allow).toBeDisabled()
      await field.fill('[]')
      await expect(person.ask.getByRole('status').last()).toHaveText('This is not a JSON object.')
      await expect(allow).toBeDisabled()
      await edits(person, 'Input', '{"file_path": "edited.txt"}')
      await expect(person.turnEnds('completed')).toHaveCount(1)
      await expectBoth(person, 'asked.txt', 'edited.txt')
    })
  })
}

onBackend('claude', () => {
  test('[PERM-2] the real program writes what a person edited', async ({ person, system }) => {
    const file = path.join(system.workDir, 'real.txt')
    await person.startSession(script({ tool: 'Write', input: { file_path: file, content: 'as asked\n' } }))
    await person.readToTheEnd()
    await person.answer('Edit…')
    await edits(person, 'Content', 'as edited\n')
    await expect(person.turnEnds('completed')).toHaveCount(1)
    expect(existsSync(file) && readFileSync(file, 'utf8')).toBe('as edited\n')
  })
})
