import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { prompts } from '../support/backends'
import { expect, test } from '../support/story'

const script = (steps: unknown[]) => `Do it. SCRIPT: ${JSON.stringify(steps)}`
const write = (file: string) => ({ name: 'Write', input: { file_path: file, content: file } })

test('a person starts, answers and stops with the keyboard alone, and the keyboard is never nowhere', async ({
  person: { page },
  system,
}) => {
  const file = path.join(system.workDir, 'by-key.txt')
  await page.keyboard.press('n')
  await expect(page.getByLabel('First prompt')).toBeFocused()
  await page.keyboard.insertText(prompts.write('scripted', file, 'yes', 'Written.'))
  await page.keyboard.press('Control+Enter')
  const prompt = page.getByTestId('permission-prompt')
  await expect(prompt).toContainText('scripted asks to run a command')
  await expect(prompt.getByRole('button', { name: 'Allow', exact: true })).toBeEnabled()

  // `a` alone would allow it: as the second key of a move it must not.
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await expect(page.getByRole('heading', { name: 'Agents' })).toBeVisible()
  expect(existsSync(file)).toBe(false)
  await page.goBack()

  await prompt.getByRole('button', { name: 'Allow', exact: true }).focus()
  await expect(prompt.getByRole('button', { name: 'Allow', exact: true })).toBeEnabled()
  await page.keyboard.press('d')
  await expect(page.getByLabel('Reason for the model')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(prompt).toBeFocused()
  await page.keyboard.press('a')
  await expect(page.getByTestId('turn-end')).toHaveCount(1)
  expect(readFileSync(file, 'utf8')).toBe('yes\n')
  await expect(page.getByLabel('Prompt')).toBeFocused()

  await page.keyboard.insertText(prompts.stream(2_000))
  await page.keyboard.press('Enter')
  await expect(page.getByTestId('live-block')).toContainText('word3')
  // On a busy machine two presses may lie further apart than a person's.
  await expect(async () => {
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await expect(page.locator('[data-testid=turn-end][data-reason=interrupted]')).toHaveCount(1, { timeout: 2_000 })
  }).toPass()

  const more = page.getByRole('button', { name: 'More for this session' })
  await more.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Rename…' })).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(page.getByRole('menuitem', { name: 'Delete…' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(more).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Rename…' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: /Rename/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(more).toBeFocused()
})

test('[PERM-6] several questions: one in full, the others in a line, decidable in any order, counted in the title', async ({
  person,
  system,
}) => {
  const { page } = person
  const names = ['one.txt', 'two.txt', 'three.txt']
  await person.startSession(script([{ tools: names.map(write) }, { text: 'All done.' }]))
  await expect(person.ask).toHaveCount(1)
  await expect(person.ask).toContainText('1 of 3')
  await expect(page).toHaveTitle(/^\(3\) /)
  await page.keyboard.press('k')
  await expect(person.ask).toContainText('three.txt')
  await person.answer('Deny…')
  await person.ask.getByLabel('Reason for the model').fill('Not that one.')
  await person.answer('Deny')
  await expect(page).toHaveTitle(/^\(2\) /)
  await page.getByRole('list', { name: 'Other questions' }).getByText('two.txt').click()
  await expect(person.ask).toContainText('two.txt')
  await person.answer('Allow')
  await expect(person.ask).toContainText('one.txt')
  await person.answer('Allow')
  await expect(person.turnEnds('completed')).toHaveCount(1)
  expect(names.map((name) => existsSync(path.join(system.workDir, name)))).toEqual([true, true, false])
  await expect(person.transcript).toContainText('Denied by Ana: Not that one.')
  await expect(page).not.toHaveTitle(/^\(/)
})
