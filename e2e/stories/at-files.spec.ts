import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { expect, onBackend, type Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { prompts } from '../support/processes/backends'

const phone = { width: 390, height: 844 }
const box = (page: Page) => page.getByLabel('Prompt')
const list = (page: Page) => page.getByRole('listbox', { name: 'Suggestions' })
const option = (page: Page, name: string) => list(page).getByRole('option', { name, exact: true })

function has(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
}

/** No row hides a part of its name, and the list begins and ends with a whole one. */
async function expectWholeRows(page: Page): Promise<void> {
  const rows = await list(page)
    .getByRole('option')
    .evaluateAll((options) =>
      options.map((row) => [row.scrollWidth - row.clientWidth, row.scrollHeight - row.clientHeight]),
    )
  expect(rows.flat().filter((hidden) => hidden > 0)).toEqual([])
  const cut = await list(page).evaluate((box) => {
    const { top, bottom } = box.getBoundingClientRect()
    return [...box.children].filter((row) => {
      const at = row.getBoundingClientRect()
      return at.top < bottom - 1 && at.bottom > bottom + 1 && at.top > top
    }).length
  })
  expect(cut).toBe(0)
}

async function begun(person: Person): Promise<void> {
  has(person.system.workDir, {
    '.gitignore': 'built/\n',
    'src/parser.ts': '',
    'src/part of it.ts': '',
    'built/parser.js': '',
    'kit/buttons-of-long-names/with-buttons-within-buttons/only-buttons-within.txt': '',
    '.git/parser': '',
    'раrser.md': '', // two letters of another alphabet
  })
  const link = path.join(person.system.workDir, 'parser-link.ts')
  try {
    symlinkSync('/etc/hosts', link)
  } catch {
    // A story before this one made it.
  }
  await person.startSession(prompts.say('Hello.'))
  await expect(person.turnEnds('completed')).toHaveCount(1)
}

test('[CMD-10.8] [CMD-10.11] by keyboard alone: @ lists files of the work folder, not those that are ignored or lead out', async ({
  person,
}) => {
  const { page } = person
  await begun(person)
  await box(page).focus()
  await page.keyboard.type('Read @parse')
  await expect(list(page).getByRole('option')).toHaveText(['src/parser.ts'])
  await expect(page.getByRole('combobox', { name: 'Prompt' })).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('Enter')
  await expect(box(page)).toHaveValue('Read @src/parser.ts ')
  await page.keyboard.type('and @part')
  await expect(list(page).getByRole('option').first()).toHaveText('src/part of it.ts')
  await page.keyboard.press('Tab')
  await expect(box(page)).toHaveValue('Read @src/parser.ts and @"src/part of it.ts" ')
  await page.keyboard.type('@nothing-like-it')
  await expect(page.getByRole('status').filter({ hasText: 'No file matches.' })).toBeVisible()
})

variation(
  '[CMD-10] Tab takes what was typed, also where the machine has not answered to the last letters',
  async ({ person }) => {
    const { page } = person
    await begun(person)
    await box(page).focus()
    await page.keyboard.type('@par')
    await expect(list(page).getByRole('option').first()).toHaveText('src/parser.ts')
    await page.route('**/files?*', () => {}) // never answered
    await page.keyboard.type('t')
    await expect(list(page).getByRole('option').first()).toHaveText('src/part of it.ts')
    await page.keyboard.press('Tab')
    await expect(box(page)).toHaveValue('@"src/part of it.ts" ')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  },
)

test('[CMD-10.14] the files are asked for when somebody begins to write, so a first @ waits for no machine', async ({
  person,
}) => {
  const { page } = person
  await begun(person)
  await page.reload()
  const answered = page.waitForResponse((response) => response.url().includes('/files?'))
  await box(page).focus()
  expect((await answered).ok()).toBe(true)
  await page.route('**/files?*', (route) => route.abort())
  await page.keyboard.type('@')
  await expect(option(page, 'src/parser.ts')).toBeVisible()
})

variation(
  '[CMD-10] [PERM-7.14] on a phone: a name that looks like another is marked, and a file is taken by touch',
  async ({ person }) => {
    const { page } = person
    await page.setViewportSize(phone)
    await begun(person)
    await box(page).click()
    await box(page).pressSequentially('@rser.md')
    await expect(list(page).locator('mark').first()).toBeVisible()
    await box(page).fill('')
    await box(page).pressSequentially('@')
    await expect(option(page, 'src/parser.ts')).toBeVisible()
    await page.screenshot({ path: 'test-results/at-menu-390.png' })
    await expectWholeRows(page)
    await box(page).fill('')
    await box(page).pressSequentially('@src/parser')
    await option(page, 'src/parser.ts').click()
    await expect(box(page)).toHaveValue('@src/parser.ts ')
    await expect(box(page)).toBeFocused()
  },
)

onBackend('claude', () => {
  test('[CMD-10.15] a file outside of the folders is not read unasked: the turn says why, and the session goes on', async ({
    person,
  }) => {
    await begun(person)
    await person.send('What is in @/etc/hosts')
    await expect(person.turnEnds('failed')).toHaveCount(1)
    await expect(person.transcript).toContainText('is outside of this session')
    await person.send(prompts.say('Still here.'))
    await expect(person.transcript.getByTestId('assistant-text').last()).toHaveText('Still here.')
  })
})
