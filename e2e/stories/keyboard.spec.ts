import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { prompts } from '../support/processes/backends'

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
  await expect(prompt).toContainText('Demo (scripted) asks to run a command')
  await expect(prompt.getByRole('button', { name: 'Allow', exact: true })).toBeEnabled()

  // Whoever writes nothing leaves the composer by Escape, for the question.
  await expect(page.getByLabel('Prompt')).toBeFocused()
  const [letter, leave] = [prompt.locator('[data-key-hint]', { hasText: 'a' }), prompt.getByText('to decide by key')]
  await expect(letter).toBeHidden()
  await expect(leave).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(prompt).toBeFocused()
  await expect(letter).toBeVisible()
  await expect(leave).toBeHidden()

  // `a` alone would allow it: as the second key of a move it must not.
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await expect(page.getByRole('heading', { name: 'Machines', exact: true })).toBeVisible()
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

variation(
  '[PERM-7.3] a request that is longer than its card is read and allowed by keys',
  async ({ person, page, system }) => {
    const file = path.join(system.workDir, 'long.txt')
    const content = 'One line of many.\n'.repeat(40)
    await person.startSession(script([{ tool: 'Write', input: { file_path: file, content } }]))
    const allow = person.ask.getByRole('button', { name: 'Allow', exact: true })
    await expect(person.ask.getByText('Read to the end to allow.')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(person.ask).toBeFocused()
    const body = person.ask.locator('[data-scroll-body]')
    const at = () => body.evaluate((box) => box.scrollTop)
    // The code that draws the change comes after the card.
    await expect.poll(() => body.evaluate((box) => box.scrollHeight - box.clientHeight)).toBeGreaterThan(0)
    await page.keyboard.press('ArrowDown')
    await expect.poll(at).toBeGreaterThan(0)
    await page.keyboard.press('Home')
    await expect.poll(at).toBe(0)
    // The key of an answer that needs more reading reads on, and answers nothing.
    await expect(person.ask.getByRole('button', { name: 'Deny…' })).toBeEnabled()
    await page.keyboard.press('a')
    await expect.poll(at).toBeGreaterThan(0)
    await expect(person.ask).toBeVisible()
    await page.keyboard.press('End')
    await expect(allow).toBeEnabled()
    expect(existsSync(file)).toBe(false)
    await page.keyboard.press('a')
    await expect(person.turnEnds('completed')).toHaveCount(1)
    expect(readFileSync(file, 'utf8')).toBe(content)
  },
)

variation(
  '[PERM-7.3] a request with a folded change is opened, read and allowed by one key',
  async ({ person, page, system }) => {
    const file = path.join(system.workDir, 'folded.txt')
    const content = 'One line of many.\n'.repeat(60)
    await person.startSession(script([{ tool: 'Write', input: { file_path: file, content } }]))
    await expect(person.ask.getByText('Show all of it to allow.')).toBeVisible()
    await expect(person.ask.getByRole('button', { name: 'Deny…' })).toBeEnabled()
    await page.keyboard.press('Escape')
    await expect(person.ask).toBeFocused()
    const unfold = person.ask.getByRole('button', { name: 'Show all 60 lines' })
    await expect(async () => {
      await page.keyboard.press('a')
      await expect(unfold).toHaveCount(0, { timeout: 500 })
    }).toPass()
    expect(existsSync(file)).toBe(false)
    await expect(async () => {
      await page.keyboard.press('a')
      await expect(person.turnEnds('completed')).toHaveCount(1, { timeout: 500 })
    }).toPass()
    expect(readFileSync(file, 'utf8')).toBe(content)
  },
)

variation('Enter on a request in the inbox opens its session', async ({ person, page, system }) => {
  const sessionId = await person.startSession(script([{ tools: [write('opened.txt')] }]))
  await expect(person.ask).toBeVisible()
  await page.goto(system.hub.url)
  const card = person.ask.filter({ hasText: 'opened.txt' })
  await expect(card).toBeVisible()
  await page.keyboard.press('j')
  await expect(person.ask.first()).toBeFocused()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/sessions/${sessionId}`)
  await expect(page.getByRole('button', { name: 'Stop turn' }).and(page.locator(':visible'))).toHaveCount(1)
  await page.screenshot({ path: 'test-results/one-stop.png' })
  await person.answer('Stop turn')
  await expect(person.turnEnds('interrupted')).toHaveCount(1)
})

test('[PERM-6.1] [PERM-6.2] several questions: one in full, the others in a line, decidable in any order, counted in the title', async ({
  person,
  system,
}) => {
  const { page } = person
  const names = ['one.txt', 'two.txt', 'three.txt']
  await person.startSession(script([{ tools: names.map(write) }, { text: 'All done.' }]))
  await expect(person.ask).toHaveCount(1)
  await expect(person.ask).toContainText('1 of 3')
  await expect(page).toHaveTitle(/^\(3\) /)
  await page.keyboard.press('Escape')
  await page.keyboard.press('k')
  await expect(person.ask).toContainText('three.txt')
  await person.answer('Deny…')
  await person.ask.getByLabel('Reason for the model').fill('Not that one.')
  await person.answer('Deny')
  await expect(page).toHaveTitle(/^\(2\) /)
  await page.getByRole('list', { name: 'Other requests' }).getByText('two.txt').click()
  await expect(person.ask).toContainText('two.txt')
  await person.answer('Allow')
  await expect(person.ask).toContainText('one.txt')
  await person.answer('Allow')
  await expect(person.turnEnds('completed')).toHaveCount(1)
  expect(names.map((name) => existsSync(path.join(system.workDir, name)))).toEqual([true, true, false])
  await expect(person.transcript).toContainText('Denied by Ana: Not that one.')
  await expect(page).not.toHaveTitle(/^\(/)
})

/** Code that a page fetches from now on arrives when it is let go, or never. */
async function slowCode(page: Page, arrives: 'when let go' | 'never'): Promise<() => void> {
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.unroute('**/_next/static/**')
  await page.route('**/_next/static/**', async (route) => {
    if (arrives === 'never') return route.abort()
    await gate
    return route.continue().catch(() => {})
  })
  return letGo
}

async function type(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

test('[PERM-7.16] [PERM-7.17] a dialog owns the keyboard from the key press: what is typed while its code loads reaches no question', async ({
  person,
  system,
}) => {
  const { page, ask } = person
  const file = path.join(system.workDir, 'untouched.txt')
  await person.startSession(script([{ tools: [write(file)] }, { text: 'Done.' }]))
  const allow = ask.getByRole('button', { name: 'Allow', exact: true })
  await expect(allow).toBeEnabled()
  await page.reload()
  await expect(allow).toBeEnabled()
  await allow.focus()
  const untouched = async () => {
    await expect(ask).toHaveCount(1)
    await expect(ask.getByLabel('Reason for the model')).toHaveCount(0)
    expect(existsSync(file)).toBe(false)
  }

  const letPaletteGo = await slowCode(page, 'when let go')
  await type(page, 'Control+k', 'a', 's', 'd', 'x')
  await untouched()
  letPaletteGo()
  const palette = page.getByPlaceholder('Search sessions, pages and commands')
  await expect(palette).toHaveValue('asdx')
  await expect(palette).toBeFocused()
  await untouched()
  await type(page, 'Escape')
  await expect(palette).toHaveCount(0)
  await expect(allow).toBeFocused()

  // Enter and Space would press the focused button; Enter ends what is kept for the dialog.
  const letGo = await slowCode(page, 'when let go')
  await type(page, 'n', 'a', 'Space', 'd', 'Backspace', 'x', 'Enter', 's', 'Tab', 'a')
  letGo()
  await expect(page.getByLabel('First prompt')).toHaveValue('a x')
  await untouched()
  await type(page, 'Escape')
  await expect(allow).toBeFocused()

  // A dialog without a field: the keys are nobody's.
  const letGoAgain = await slowCode(page, 'when let go')
  await type(page, '?', 'a', 'Escape', 'Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await type(page, '?', 'a', 's', 'x', 'Enter')
  letGoAgain()
  await expect(page.getByRole('heading', { name: 'Everywhere' })).toBeVisible()
  await untouched()
  await type(page, 'Escape')
  await expect(allow).toBeFocused()

  await slowCode(page, 'never')
  await page.getByRole('button', { name: 'More for this session' }).click()
  await page.getByRole('menuitem', { name: 'Rename…' }).click()
  await type(page, 'a', 'x')
  await expect(page.getByText('The hub cannot be reached')).toBeVisible()
  await type(page, 'a', 'x', 'Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await untouched()
  await page.unroute('**/_next/static/**')
  await allow.focus()
  await type(page, 'a')
  await expect(person.turnEnds('completed')).toHaveCount(1)
  expect(existsSync(file)).toBe(true)
})
