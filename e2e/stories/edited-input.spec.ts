/** What a program asks for is changed before it is allowed: a command, the content of a file, any other input as JSON (PERM-2). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { screens } from '../support/browser/screens'
import { expect, onBackend, Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { signInPage } from '../support/processes/browser-login'

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

for (const size of screens) {
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

    variation(
      '[PERM-2] an input of another tool is edited as JSON, and goes out only when it is an object',
      async ({ person, system }) => {
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
      },
    )
  })
}

test('[PERM-2] [PERM-3] [PERM-5] in the Inbox a command is edited by key and outlives hub and daemon, and the next is allowed for the session on a phone', async ({
  person,
  system,
  browser,
}) => {
  const { page, ask } = person
  const [asked = '', ran = ''] = ['inbox-asked.txt', 'inbox-ran.txt'].map((name) => path.join(system.workDir, name))
  const bash = (command: string) => ({ tool: 'Bash', ask: true, input: { command } })
  await person.startSession(script(bash(`echo hi > ${asked}`), bash('mkdir -p one'), bash('mkdir -p two')))
  await expect(ask).toBeVisible()
  // The focus is in the composer of a new session; Escape leaves it.
  for (const key of ['Escape', 'g', 'i']) await page.keyboard.press(key)
  await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible()
  const field = ask.getByLabel('Command, edited')
  // The keys act half a second after the question came into view.
  await expect(async () => {
    await page.keyboard.press('e')
    await expect(field).toBeFocused({ timeout: 500 })
  }).toPass()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(`echo hi > ${ran}`)
  const phone = await browser.newPage({ viewport: { width: 390, height: 844 } })
  await signInPage(phone, system.hub.url)
  await phone.goto(`${system.hub.url}/`)
  const there = new Person(phone, system)
  await expect(there.ask).toContainText(asked)

  await system.hub.kill()
  await system.agent.kill()
  await system.hub.start()
  await system.agent.start()
  await page.reload()
  await expect(field).toHaveValue(`echo hi > ${ran}`)
  // A draft stays in the browser where it is written.
  await expect(there.ask).toContainText(asked)
  await expect(there.ask).not.toContainText(ran)
  await expect(ask.getByRole('button', { name: 'Allow edited' })).toBeEnabled()
  await field.press('ControlOrMeta+Enter')

  await expect(there.ask).toContainText('mkdir -p one')
  await there.readToTheEnd()
  const begins = 'commands that begin with “mkdir”'
  await there.allowForSession(begins)
  await expect(there.ask).toHaveCount(0)
  await expect(ask).toHaveCount(0)
  await phone.close()
  await page.goBack()
  await expect(person.turnEnds('completed')).toHaveCount(1)
  expect([existsSync(asked), existsSync(ran)]).toEqual([false, true])
  await expect(card(person)).toContainText([
    'Allowed by Ana, edited',
    `Allowed for this session by Ana: ${begins}`,
    `Allowed by an active permission: ${begins}`,
  ])
  await page.getByRole('button', { name: '1 permission active' }).click()
  const list = page.getByRole('dialog', { name: 'Active permissions' })
  await expect(list.getByRole('listitem')).toHaveText([/commands that begin with “mkdir”.*until \d/])
  await list.getByRole('button', { name: 'Revoke' }).click()
  await expect(person.transcript).toContainText('revoked')
  await expect(page.getByRole('button', { name: /permissions? active/ })).toHaveCount(0)
})

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
