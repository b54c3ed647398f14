import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { phone, screens } from '../support/browser/screens'
import { expect, type Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { signInPage } from '../support/processes/browser-login'

const script = (steps: unknown[]) => `Do it. SCRIPT: ${JSON.stringify(steps)}`
const colour = {
  question: 'Which colour?',
  header: 'Colour',
  options: [
    { label: 'Red', description: 'Like fire' },
    { label: 'Blue', description: 'Like water' },
  ],
}
const toppings = { question: 'Which toppings?', multiSelect: true, options: [{ label: 'Nuts' }, { label: 'Fruit' }] }
const asks = (...questions: unknown[]) =>
  script([{ tool: 'AskUserQuestion', input: { questions } }, { text: 'Thanks.' }])
const asksByForm = (requestedSchema: unknown) =>
  script([{ tool: 'AskByForm', input: { message: 'Who pays?', requestedSchema } }, { text: 'Thanks.' }])
const plan = '# The plan\n\n1. Write **the file**.\n2. Read it again.'
const plans = (file: string) =>
  script([
    { tool: 'ExitPlanMode', input: { plan } },
    { when: 'allowed', tool: 'Write', input: { file_path: file, content: 'planned' } },
    { text: 'Done.' },
  ])

/** What the program was given, as the transcript shows it. */
async function expectAnswer({ page, transcript }: Person, answer: string): Promise<void> {
  const card = transcript.getByTestId('tool-card').last()
  await expect(card).toContainText('Answered by Ana')
  await expect(card.getByTestId('answers-given')).toContainText(answer)
  await expect(page.getByTestId('permission-prompt')).toHaveCount(0)
}

for (const size of screens) {
  test(`[PERM-2] at ${size.width} px a question is shown as one, has no Allow, and is answered by an option`, async ({
    person,
  }) => {
    await person.page.setViewportSize(size)
    await person.startSession(asks(colour))
    await expect(person.ask).toMatchAriaSnapshot(`
    - 'article "Question: Which colour?"':
      - paragraph: Demo (scripted) asks a question
      - group "Colour Which colour?":
        - radio "Red"
        - text: Red Like fire
        - radio "Blue"
        - text: Blue Like water
        - radio "Other"
      - button "Send answer"
      - button "Decline…"
      - button "Stop turn"
  `)
    await expect(person.ask.getByRole('button', { name: /Allow/ })).toHaveCount(0)
    await expect(person.ask).not.toContainText('{')
    await person.answer('Send answer')
    await expect(person.ask.getByRole('alert')).toHaveText('This needs an answer.')
    await person.ask.getByLabel('Blue').check()
    await person.answer('Send answer')
    await expectAnswer(person, 'Blue')
  })

  variation(
    `[PERM-2] at ${size.width} px several questions at once are answered with the keyboard alone, one in own words`,
    async ({ person }) => {
      const { page } = person
      await person.page.setViewportSize(size)
      await person.startSession(asks(colour, toppings))
      await expect(person.ask.getByRole('button', { name: 'Send answer' })).toBeEnabled()
      // The focus is in the composer of a new session; Escape leaves it for the question.
      await page.keyboard.press('Escape')
      await page.keyboard.press('g')
      await page.keyboard.press('i')
      await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible()
      // Nobody answers what is not on the screen.
      await person.ask.getByRole('button', { name: 'Send answer' }).scrollIntoViewIfNeeded()
      await expect(person.ask.getByRole('button', { name: 'Send answer' })).toBeEnabled()
      // The keys act half a second after the question came into view.
      await expect(async () => {
        await page.keyboard.press('3')
        await expect(person.ask.getByLabel('Your own answer')).toBeFocused({ timeout: 500 })
      }).toPass()
      await page.keyboard.insertText('Rust')
      await page.keyboard.press('Enter')
      await expect(person.ask.getByRole('alert')).toHaveText('This needs an answer.')
      await expect(person.ask.getByLabel('Nuts')).toBeFocused()
      await page.keyboard.press('1')
      await page.keyboard.press('2')
      await expect(person.ask.getByLabel('Nuts')).toBeChecked()
      await expect(person.ask.getByLabel('Fruit')).toBeChecked()
      await page.keyboard.press('Enter')
      await expect(person.ask).toHaveCount(0)
      await page.goBack()
      await expectAnswer(person, 'Rust')
      await expect(person.transcript).toContainText('Nuts')
    },
  )

  test(`[PERM-2.9] [PERM-2.17] at ${size.width} px a form has fields by its schema, and sends nothing that does not fit`, async ({
    person,
  }) => {
    await person.page.setViewportSize(size)
    await person.startSession(
      asksByForm({
        type: 'object',
        required: ['name', 'seats'],
        properties: {
          name: { type: 'string', title: 'Your name' },
          seats: { type: 'integer', title: 'Seats', minimum: 1, maximum: 9 },
          mail: { type: 'string', format: 'email', title: 'E-mail' },
          yearly: { type: 'boolean', title: 'Yearly' },
          size: { enum: ['s', 'l'], enumNames: ['Small', 'Large'], title: 'Size' },
        },
      }),
    )
    const { ask } = person
    await expect(ask).toContainText('player asks through Demo (scripted)')
    await ask.getByLabel('Seats').fill('12')
    await ask.getByLabel('E-mail').fill('ana')
    await person.answer('Send answer')
    await expect(ask.getByRole('alert')).toHaveText([
      'This needs an answer.',
      'This takes 9 or less.',
      'This takes an e-mail address.',
    ])
    await ask.getByLabel('Your name').fill('Ana')
    await ask.getByLabel('Seats').fill('2')
    await ask.getByLabel('E-mail').fill('ana@example.com')
    await ask
      .getByRole('group', { name: /Yearly/ })
      .getByLabel('Yes')
      .check()
    await ask.getByLabel('Large').check()
    await person.answer('Send answer')
    await expectAnswer(person, 'ana@example.com')
  })

  variation(
    `[PERM-2.19] at ${size.width} px a form whose schema is nonsense says so with a code, and can be declined`,
    async ({ person }) => {
      await person.page.setViewportSize(size)
      await person.startSession(asksByForm({ type: 'object', properties: { a: { type: 'hologram' } } }))
      await expect(person.ask).toContainText('FORM_UNREADABLE')
      await expect(person.ask.getByRole('button', { name: 'Send answer' })).toHaveCount(0)
      await person.answer('Decline…')
      await person.ask.getByLabel('Reason for the model').fill('I cannot read it.')
      await person.answer('Decline')
      await expect(person.transcript).toContainText('Denied by Ana: I cannot read it.')
    },
  )
}

test('[PERM-3] a half-filled answer survives a reload and a restart of hub and daemon', async ({ person, system }) => {
  const { page, ask } = person
  await person.startSession(asks(colour, toppings))
  await ask
    .getByRole('group', { name: /colour/ })
    .getByLabel('Other')
    .check()
  await ask.getByLabel('Your own answer').first().fill('Rust')
  await ask.getByLabel('Fruit').check()
  await page.reload()
  await expect(ask.getByLabel('Your own answer').first()).toHaveValue('Rust')
  await expect(ask.getByLabel('Fruit')).toBeChecked()
  await system.hub.kill()
  await system.hub.start()
  await system.agent.kill()
  await system.agent.start()
  await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
  await expect(ask.getByLabel('Fruit')).toBeChecked()
  await person.answer('Send answer')
  await expectAnswer(person, 'Rust')
})

variation(
  '[PERM-6] a question that is answered on another device says so, and what was filled in can be copied',
  async ({ person, browser, system }) => {
    await person.startSession(asks(colour))
    await person.ask.getByLabel('Other').check()
    await person.ask.getByLabel('Your own answer').fill('Half a thought')
    const other: Page = await browser.newPage({ viewport: phone })
    await signInPage(other, system.hub.url)
    await other.goto(`${system.hub.url}/`)
    const there = other.getByTestId('permission-prompt')
    await there.getByLabel('Red').check()
    await there.getByRole('button', { name: 'Send answer' }).click()
    await expect(there).toHaveCount(0)
    await other.close()
    await expect(person.page.getByTestId('gone-request')).toContainText('Which colour?')
    await expect(person.page.getByTestId('gone-request')).toContainText('Your answer was not sent.')
    await expect(person.page.getByRole('button', { name: 'Copy my answer' })).toBeVisible()
  },
)

for (const size of screens) {
  test(`[PERM-2] at ${size.width} px a plan is read as Markdown, sent back with a text, and approved with edits accepted`, async ({
    person,
    system,
  }) => {
    const file = path.join(system.workDir, `planned-${size.width}.txt`)
    await person.page.setViewportSize(size)
    await person.startSession(plans(file))
    await expect(person.ask).toMatchAriaSnapshot(`
      - article "Plan to approve":
        - paragraph: Demo (scripted) has a plan and asks to begin
        - region "Plan":
          - heading "The plan"
          - list:
            - listitem:
              - strong: the file
            - listitem: Read it again.
        - button "Approve and keep asking"
        - button "Approve and accept edits"
        - button "Keep planning…"
        - button "Stop turn"
    `)
    await person.answer('Keep planning…')
    await person.ask.getByLabel('What should change').fill('Tests first.')
    await person.answer('Keep planning')
    await expect(person.transcript).toContainText('Tests first.')
    await expect(person.turnEnds('completed')).toHaveCount(1)
    expect(existsSync(file)).toBe(false)

    await person.send(plans(file))
    await person.answer('Approve and accept edits')
    await expect(person.turnEnds('completed')).toHaveCount(2)
    expect(readFileSync(file, 'utf8')).toBe('planned')
  })
}

for (const size of screens) {
  variation(
    `[PERM-2] at ${size.width} px a command is edited and allowed: the card and the audit log show what was asked and what ran`,
    async ({ person, system }) => {
      const { page, ask } = person
      const [asked, ran] = ['asked.txt', 'ran.txt'].map((name) =>
        path.join(system.workDir, `${size.width}-${name}`),
      ) as [string, string]
      await person.page.setViewportSize(size)
      await person.startSession(script([{ tool: 'Bash', input: { command: `echo hi > ${asked}` } }, { text: 'Done.' }]))
      await person.readToTheEnd()
      await person.answer('Edit…')
      const field = ask.getByLabel('Command, edited')
      await expect(ask.getByRole('button', { name: 'Allow edited' })).toBeDisabled()
      await field.fill(`echo hi > ${ran}`)
      await page.reload()
      await expect(field).toHaveValue(`echo hi > ${ran}`)
      await ask.getByRole('button', { name: 'Allow edited' }).click()
      await expect(person.turnEnds('completed')).toHaveCount(1)
      expect([existsSync(asked), existsSync(ran)]).toEqual([false, true])
      const card = person.transcript.getByTestId('tool-card')
      await expect(card).toContainText('Allowed by Ana, edited')
      await card.getByRole('button').first().click()
      await expect(card).toContainText(`echo hi > ${asked}`)
      await expect(card.getByTestId('tool-ran')).toContainText(`echo hi > ${ran}`)
      await page.goto(`${system.hub.url}/audit`)
      const row = page.getByTestId('audit-row').filter({ hasText: 'what ran' }).first()
      await expect(row).toContainText('what was asked')
    },
  )
}
