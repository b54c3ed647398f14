/** What is written and not sent: whose it is, what a dialog over it changes, and where it is when the session has ended. */
import type { Page } from '@playwright/test'
import { pixels } from '../../packages/adapter-testkit/src/fixtures/pixels'
import { withOlderMachine } from '../support/browser/shown-machines'
import { expect, type Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { giveFile } from '../support/damage/give-file'
import { owner } from '../support/processes/hub-process'
import type { System } from '../support/processes/system'

const says = (text: string) => `Say it. SCRIPT: ${JSON.stringify([{ text }])}`
const password = 'correct horse battery'

/** Somebody else with all machines, who may sign in at any browser. */
async function addAdmin({ hub }: System, name: string): Promise<string> {
  const { rest, close } = await hub.client()
  const email = `${name}@example.com`
  const { link } = await rest.invite({ email, role: 'admin' })
  await rest.acceptInvitation({ code: link.split('#')[1] ?? '', name, password })
  close()
  return email
}

async function signIn(page: Page, email: string, secret: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(secret)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
}

/** By the owner, on another device. */
async function endOtherLogins({ hub }: System): Promise<void> {
  const { rest, close } = await hub.client()
  for (const { loginId, current } of (await rest.logins()).items) if (!current) await rest.endLogin(loginId)
  close()
}

async function writeDraft(person: Person, text: string): Promise<void> {
  await person.startSession(says('Ready.'))
  await expect(person.transcript.getByText('Ready.', { exact: true })).toBeVisible()
  await person.page.getByLabel('Prompt').fill(text)
}

const stored = (page: Page) => page.evaluate(() => JSON.stringify({ ...localStorage }))

test('a draft is erased when its writer signs out, and the next person at this browser finds nothing of it', async ({
  person,
  page,
  system,
}) => {
  const email = await addAdmin(system, 'ben')
  await writeDraft(person, 'a plan of Ana alone')
  await expect.poll(() => stored(page)).toContain('a plan of Ana alone')
  const session = page.url()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  expect(await stored(page)).not.toContain('a plan of Ana alone')
  await signIn(page, email, password)
  await page.goto(session)
  await expect(page.getByLabel('Prompt')).toHaveValue('')
})

variation(
  'a draft outlives a login that ended by itself, for its writer and for nobody else',
  async ({ person, page, system }) => {
    const email = await addAdmin(system, 'cleo')
    await writeDraft(person, 'half a thought')
    await expect.poll(() => stored(page)).toContain('half a thought')
    const session = page.url()
    await endOtherLogins(system)
    await expect(page.getByText('You were signed out')).toBeVisible()
    await signIn(page, owner.email, owner.password)
    await page.goto(session)
    await expect(page.getByLabel('Prompt')).toHaveValue('half a thought')

    await endOtherLogins(system)
    await expect(page.getByText('You were signed out')).toBeVisible()
    await signIn(page, email, password)
    await page.goto(session)
    await expect(person.transcript.getByText('Ready.', { exact: true })).toBeVisible()
    await expect(page.getByLabel('Prompt')).toHaveValue('')
    expect(await stored(page)).not.toContain('half a thought')
  },
)

variation('the first prompt stays as it is written when another machine is chosen', async ({ person, page }) => {
  await withOlderMachine(page)
  await person.open()
  await page.getByRole('button', { name: 'New session' }).first().click()
  await page.getByLabel('First prompt').fill('the same on every machine')
  const machine = page.getByLabel('Machine')
  const before = await machine.inputValue()
  await machine.focus()
  await machine.selectOption({ label: 'older' })
  await expect(page.getByLabel('First prompt')).toHaveValue('the same on every machine')
  await expect(machine).toBeFocused()
  await machine.selectOption(before)
  await expect(page.getByLabel('First prompt')).toHaveValue('the same on every machine')
  await page.keyboard.press('Escape')
})

variation(
  '[IMG-1] what is pasted or dropped while a dialog lies over the composer is not attached to its prompt',
  async ({ person, page }) => {
    await writeDraft(person, 'look at this')
    const attached = page.getByTestId('attached-image')
    await page.getByRole('button', { name: 'More for this session' }).click()
    await page.getByRole('menuitem', { name: 'Rename…' }).click()
    const dialog = page.getByRole('dialog')
    for (const how of ['paste', 'drop'] as const) await giveFile(dialog, how, pixels.png, `${how}.png`)
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await giveFile(page.getByLabel('Prompt'), 'paste', pixels.webp, 'mine.webp')
    await expect(page.getByRole('img', { name: 'mine.webp' })).toBeVisible()
    await expect(attached).toHaveCount(1)
  },
)

test('what was not sent when a session ended is shown, and goes into a new one', async ({ person, page, system }) => {
  await writeDraft(person, says('Said after all.'))
  await page.getByLabel('Attach images').setInputFiles({
    name: 'a.png',
    mimeType: 'image/png',
    buffer: Buffer.from(pixels.png, 'base64'),
  })
  await expect(page.locator('[data-testid=attached-image][data-state=ready]')).toHaveCount(1)
  const { rest, close } = await system.hub.client()
  await rest.stop(person.sessionId)
  close()
  const unsent = page.getByRole('group', { name: 'Not sent' })
  await expect(unsent).toContainText('Said after all.')
  await expect(unsent).toContainText('1 image')
  await page.reload()
  await expect(unsent).toContainText('Said after all.')
  await unsent.getByRole('button', { name: 'New session with this' }).click()
  await expect(page.getByLabel('First prompt')).toHaveValue(says('Said after all.'))
  await page.getByRole('button', { name: 'Start session' }).click()
  await expect(person.transcript.getByText('Said after all.', { exact: true })).toBeVisible()
  await page.goBack()
  await expect(unsent).toHaveCount(0)
})

test('[VIEW-9.3] [CMD-5.23] a long prompt that waited for the turn that runs when its session ended is shown as not sent, and whole when asked', async ({
  person,
  page,
  system,
}) => {
  await person.startSession(`Ask. SCRIPT: ${JSON.stringify([{ tool: 'Bash', input: { command: 'ls' }, ask: 'why' }])}`)
  await expect(person.ask).toBeVisible()
  // More than the account of a queue shows (LINK-5).
  const text = `and then the rest: ${'all of it, '.repeat(13_000)}to the end`
  await person.send(text)
  await expect(page.getByRole('list', { name: 'Queue' }).getByText('queued', { exact: true })).toBeVisible()
  const { rest, close } = await system.hub.client()
  await rest.stop(person.sessionId)
  close()
  const unsent = page.getByRole('group', { name: 'Not sent' })
  await expect(unsent).toContainText(text.slice(0, 1_900))
  await expect(unsent).toHaveCount(1)
  await page.reload()
  await expect(unsent.getByRole('button', { name: 'Copy' })).toHaveCount(0)
  await unsent.getByRole('button', { name: `Show all ${text.length.toLocaleString('en')} characters` }).click()
  await expect(unsent).toContainText(text)
  await unsent.getByRole('button', { name: 'New session with this' }).click()
  await expect(page.getByLabel('First prompt')).toHaveValue(text)
  await page.keyboard.press('Escape')
  await unsent.getByRole('button', { name: 'Discard' }).click()
  await expect(unsent).toHaveCount(0)
})

variation(
  'the first page of a new login is there before the hub says whose it is, and has the draft as soon as it does',
  async ({ person, page, system }) => {
    await writeDraft(person, 'half a thought')
    await expect.poll(() => stored(page)).toContain('half a thought')
    const session = page.url()
    await endOtherLogins(system)
    await expect(page.getByText('You were signed out')).toBeVisible()
    let isAway = true
    let asked = 0
    await page.route(
      (url) => url.pathname === '/api/v1/me',
      (route) => {
        asked += 1
        return isAway ? route.fulfill({ status: 503, json: {} }) : route.continue()
      },
    )
    await signIn(page, owner.email, owner.password)
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
    await expect(page.getByText('Opening…')).toBeVisible()
    await expect.poll(() => asked).toBeGreaterThan(2)
    expect(await stored(page)).toContain('half a thought')
    isAway = false
    await expect(page.getByLabel('Prompt')).toHaveValue('half a thought')
    expect(page.url()).toBe(session)
  },
)

variation(
  'a prompt that is refused because the session has just ended comes back to be read',
  async ({ person, page, system }) => {
    await writeDraft(person, 'one more thing')
    const { rest, close } = await system.hub.client()
    const { sessionId } = person
    // It is on its way when the session ends.
    await page.route(
      (url) => url.pathname.endsWith(`/sessions/${sessionId}/prompts`),
      async (route) => {
        await rest.stop(sessionId)
        await expect(person.status).toContainText('Ended')
        await route.continue()
      },
    )
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const unsent = page.getByRole('group', { name: 'Not sent' })
    await expect(unsent).toContainText('one more thing')
    await unsent.getByRole('button', { name: 'Discard' }).click()
    await expect(unsent).toHaveCount(0)
    await page.reload()
    await expect(person.transcript.getByText('Ready.', { exact: true })).toBeVisible()
    await expect(unsent).toHaveCount(0)
    close()
  },
)
