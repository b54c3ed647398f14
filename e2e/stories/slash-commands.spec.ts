import type { Page } from '@playwright/test'
import { phone, screens } from '../support/browser/screens'
import { expect, onBackend, type Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { prompts } from '../support/processes/backends'

const script = (text: string) => `SCRIPT: ${JSON.stringify([{ text }])}`
const box = (page: Page) => page.getByLabel('Prompt')
const list = (page: Page) => page.getByRole('listbox', { name: 'Suggestions' })
const option = (page: Page, name: string) => list(page).getByRole('option', { name })

async function begun(person: Person): Promise<void> {
  await person.startSession(prompts.say('Hello.'))
  await expect(person.turnEnds('completed')).toHaveCount(1)
}

test('[CMD-9.13] by keyboard alone: a slash lists the commands, arrows choose, Tab takes, Escape closes, Enter sends', async ({
  person,
}) => {
  const { page } = person
  await begun(person)
  await box(page).focus()
  await page.keyboard.type('/')
  await expect(list(page).getByRole('option')).toHaveCount(2)
  await expect(page.getByRole('combobox', { name: 'Prompt' })).toHaveAttribute('aria-expanded', 'true')
  await expect(list(page)).toMatchAriaSnapshot(`
    - listbox "Suggestions":
      - 'option "/script SCRIPT: [steps] Play a script" [selected]'
      - option "/tour Show what a transcript can show"
  `)
  // As it is drawn, which a space at the beginning of a box is not.
  expect(await list(page).getByRole('option').first().innerText()).toMatch(/^\/script SCRIPT/)
  await page.keyboard.press('ArrowDown')
  await expect(option(page, '/tour')).toHaveAttribute('aria-selected', 'true')
  const active = await box(page).getAttribute('aria-activedescendant')
  expect(await option(page, '/tour').getAttribute('id')).toBe(active)
  await page.keyboard.press('Escape')
  await expect(list(page)).toHaveCount(0)
  await expect(page.getByRole('textbox', { name: 'Prompt' })).toHaveValue('/')
  await page.keyboard.type('scr')
  await expect(list(page).getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Tab')
  await expect(box(page)).toHaveValue('/script ')
  await page.keyboard.type(script('Played by keys.'))
  await page.keyboard.press('Enter')
  await expect(person.transcript.getByTestId('assistant-text').last()).toHaveText('Played by keys.')
})

for (const size of screens) {
  test(`[CMD-9.13] [CMD-9.1] at ${size.width} px an unknown command is flagged before it goes as text, and a path is only text`, async ({
    person,
  }) => {
    const { page } = person
    await page.setViewportSize(size)
    await begun(person)
    await box(page).fill(`/scirpt ${script('As text.')}`)
    await expect(page.getByRole('status').filter({ hasText: 'has no command “/scirpt” here' })).toBeVisible()
    await box(page).press('Enter')
    await expect(page.getByRole('alert').filter({ hasText: 'Press Enter again to send it as text' })).toBeVisible()
    await expect(box(page)).toHaveValue(/^\/scirpt/)
    await box(page).press('Enter')
    await expect(person.transcript.getByTestId('assistant-text').last()).toHaveText('As text.')

    await box(page).fill(`/etc/hosts is wrong ${script('A path.')}`)
    await box(page).press('Enter')
    await expect(person.transcript.getByTestId('assistant-text').last()).toHaveText('A path.')
  })

  variation(
    `[CMD-9.3] [CMD-9.13] at ${size.width} px what the policy governs is not offered, and the machine refuses it with its rule`,
    async ({ person }) => {
      const { page } = person
      await page.setViewportSize(size)
      await begun(person)
      await box(page).fill('/pol')
      await expect(page.getByText('has no command “/pol” here')).toBeVisible()
      await expect(list(page)).toHaveCount(0)
      await box(page).fill('/policy all')
      await box(page).press('Enter')
      await box(page).press('Enter')
      await expect(page.getByText(/\/policy changes settings\. This machine.s policy decides that/)).toBeVisible()
    },
  )
}

variation('[CMD-9] on a phone a command is taken by touch', async ({ person }) => {
  const { page } = person
  await page.setViewportSize(phone)
  await begun(person)
  await box(page).click()
  await box(page).pressSequentially('/')
  await option(page, '/tour').click()
  await expect(box(page)).toHaveValue('/tour ')
  await expect(box(page)).toBeFocused()
  await expect(list(page)).toHaveCount(0)
})

onBackend('claude', () => {
  test('[CMD-9] the commands of Claude Code are completed and run without a turn of the model', async ({ person }) => {
    const { page } = person
    await begun(person)
    await box(page).fill('/cont')
    await expect(list(page).getByRole('option')).toHaveText([/context/])
    await box(page).press('Enter')
    await expect(box(page)).toHaveValue('/context ')
    await box(page).press('Enter')
    await expect(person.transcript.getByTestId('assistant-text').last()).toContainText('Context Usage')
    await box(page).fill('/mcp')
    await expect(page.getByText('Claude Code has no command “/mcp” here')).toBeVisible()
  })
})
