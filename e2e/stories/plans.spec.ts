/** A plan that waits for approval outlives whatever ends, and is answered from anywhere, also by keyboard (PERM-2, PERM-3, PERM-6). */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onBackend, type Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { signInPage } from '../support/processes/browser-login'

const plan = '# The plan\n\n1. Write **the file**.\n2. Read it again.'
const plans = (file: string) =>
  `Plan it. SCRIPT: ${JSON.stringify([
    { tool: 'ExitPlanMode', input: { plan } },
    { when: 'allowed', tool: 'Write', input: { file_path: file, content: 'planned' } },
    { text: 'Done.' },
  ])}`
const phone = { width: 390, height: 844 }

async function toInbox({ page, ask }: Person): Promise<void> {
  await expect(ask).toBeVisible()
  // The focus is in the composer of a new session; Escape leaves it.
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible()
}

variation(
  '[PERM-2] in the Inbox, by keyboard alone: 3 keeps planning with a text, 2 approves with edits accepted',
  async ({ person, system }) => {
    const { page, ask } = person
    const file = path.join(system.workDir, 'by-keys.txt')
    await person.startSession(plans(file))
    await toInbox(person)
    await expect(ask.getByRole('button', { name: 'Keep planning…' })).toBeEnabled()
    // The keys act half a second after the question came into view.
    await expect(async () => {
      await page.keyboard.press('3')
      await expect(ask.getByLabel('What should change')).toBeFocused({ timeout: 500 })
    }).toPass()
    await page.keyboard.insertText('Tests first.')
    await page.keyboard.press('Enter')
    await expect(ask).toHaveCount(0)
    await page.goBack()
    await expect(person.transcript).toContainText('Tests first.')
    await expect(person.turnEnds('completed')).toHaveCount(1)

    await person.send(plans(file))
    await toInbox(person)
    await expect(ask.getByRole('button', { name: 'Approve and accept edits' })).toBeEnabled()
    await expect(async () => {
      await page.keyboard.press('2')
      await expect(ask).toHaveCount(0, { timeout: 1_000 })
    }).toPass()
    await page.goBack()
    await expect(person.turnEnds('completed')).toHaveCount(2)
    expect(readFileSync(file, 'utf8')).toBe('planned')
  },
)

variation(
  '[PERM-3] what should change survives a reload and a restart of hub and daemon',
  async ({ person, system }) => {
    const { page, ask } = person
    const file = path.join(system.workDir, 'restarted.txt')
    await person.startSession(plans(file))
    await person.answer('Keep planning…')
    await ask.getByLabel('What should change').fill('Tests first.')
    await page.reload()
    await expect(ask.getByLabel('What should change')).toHaveValue('Tests first.')
    await system.hub.kill()
    await system.hub.start()
    await system.agent.kill()
    await system.agent.start()
    await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
    await expect(ask.getByLabel('What should change')).toHaveValue('Tests first.')
    await person.answer('Back')
    await person.answer('Approve and keep asking')
    await expect(ask).toContainText('restarted.txt')
    await person.readToTheEnd()
    await person.answer('Allow')
    await expect(person.turnEnds('completed')).toHaveCount(1)
    expect(readFileSync(file, 'utf8')).toBe('planned')
  },
)

variation('[PERM-6] a plan that is approved on a phone says so here', async ({ person, browser, system }) => {
  const file = path.join(system.workDir, 'elsewhere.txt')
  await person.startSession(plans(file))
  await expect(person.ask).toBeVisible()
  const other = await browser.newPage({ viewport: phone })
  await signInPage(other, system.hub.url)
  await other.goto(`${system.hub.url}/`)
  const there = other.getByTestId('permission-prompt')
  await there.getByRole('button', { name: 'Approve and accept edits' }).click()
  await expect(there).toHaveCount(0)
  await other.close()
  await expect(person.ask).toHaveCount(0)
  await expect(person.turnEnds('completed')).toHaveCount(1)
  await expect(person.transcript.getByTestId('tool-card').first()).toContainText('Ana')
  expect(existsSync(file)).toBe(true)
})

onBackend('claude', () => {
  test('[PERM-2] the real program: a plan is sent back, approved with edits accepted, and the mode outlives its host', async ({
    person,
    system,
  }) => {
    const { ask } = person
    const [file, next] = ['planned.txt', 'next.txt'].map((name) => path.join(system.workDir, name)) as [string, string]
    const writes = (at: string) => ({ tool: 'Write', input: { file_path: at, content: 'planned' } })
    const prompt = (...steps: object[]) => `Go on. SCRIPT: ${JSON.stringify([...steps, { text: 'Done.' }])}`
    await person.startSession(prompt())
    await expect(person.turnEnds('completed')).toHaveCount(1)
    await person.page.getByLabel('Mode', { exact: true }).selectOption('plan')
    await person.send(prompt({ tool: 'ExitPlanMode', input: { plan } }))
    await expect(ask.getByRole('heading', { name: 'The plan' })).toBeVisible()
    await person.answer('Keep planning…')
    await ask.getByLabel('What should change').fill('Tests first.')
    await person.answer('Keep planning')
    await expect(person.turnEnds('completed')).toHaveCount(2)
    await person.send(prompt({ tool: 'ExitPlanMode', input: { plan } }, writes(file)))
    await person.answer('Approve and accept edits')
    await expect(person.turnEnds('completed')).toHaveCount(3)
    expect(readFileSync(file, 'utf8')).toBe('planned')
    expect(system.agent.killHost(person.sessionId)).toBe(true)
    await person.send(prompt(writes(next)))
    await expect.poll(() => existsSync(next), { timeout: 90_000 }).toBe(true)
    await expect(ask).toHaveCount(0)
  })
})
