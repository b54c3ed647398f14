/** Several people on one hub: how they come in, what each sees, and how fast it ends. */
import path from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { prompts } from '../support/processes/backends'
import { owner } from '../support/processes/hub-process'
import type { System } from '../support/processes/system'

interface Invited {
  email: string
  role: string
  machines: boolean
  /** Tried as a name first, and refused. */
  refusedName?: string
}

/** The owner makes the link on the page; the other one uses it in a browser of their own. */
async function invite(
  page: Page,
  system: System,
  browser: Browser,
  { email, role, machines, refusedName }: Invited,
): Promise<Page> {
  await page.goto(`${system.hub.url}/people`)
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Role').selectOption(role)
  if (machines) {
    // Stories before this one may have left machines behind.
    await expect(page.getByRole('checkbox').first()).toBeVisible()
    for (const machine of await page.getByRole('checkbox').all()) await machine.check()
  }
  await page.getByRole('button', { name: 'Create invite link' }).click()
  const link = await page.getByTestId('shown-once').innerText()
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('button', { name: 'Invite' })).toBeFocused()
  await page.goto(system.hub.url)
  const guest = await (await browser.newContext()).newPage()
  await guest.goto(link)
  await expect(guest).toHaveURL(/\/invitation$/)
  await expect(guest.getByLabel('E-mail')).toHaveValue(email)
  await expect(guest.getByText('keep your current name')).toHaveCount(0)
  if (refusedName) {
    await guest.getByLabel('Your name').fill(refusedName)
    await guest.getByLabel('Password').fill(owner.password)
    await guest.getByRole('button', { name: 'Accept invitation' }).click()
    await expect(guest.getByRole('main').getByRole('alert')).toContainText('“Operator” looks like a role')
    await guest.screenshot({ path: 'test-results/invitation.png' })
  }
  await guest.getByLabel('Your name').fill(email.split('@')[0] ?? '')
  await guest.getByLabel('Password').fill(owner.password)
  await guest.getByRole('button', { name: 'Accept invitation' }).click()
  await expect(guest.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
  return guest
}

test('[T78] an operator comes in by a link and sees the machines that were shared, from the moment they are', async ({
  person,
  system,
  browser,
}) => {
  const guest = await invite(person.page, system, browser, {
    email: 'ben@example.com',
    role: 'operator',
    machines: false,
    refusedName: 'Ben Operator',
  })
  await guest.goto(`${system.hub.url}/agents`)
  await expect(guest.getByText('No machines yet')).toBeVisible()
  await expect(guest.getByRole('button', { name: 'Add machine' })).toHaveCount(0)
  await expect(guest.getByText('Ask an owner or admin of this hub to add a machine')).toBeVisible()
  for (const size of [
    { width: 390, height: 844 },
    { width: 1440, height: 900 },
  ]) {
    await guest.setViewportSize(size)
    await guest.goto(system.hub.url)
    await expect(guest.getByText('no machine is shared with you yet')).toBeVisible()
    await expect(guest.getByRole('button', { name: 'Add machine' })).toHaveCount(0)
    await guest.screenshot({ path: `test-results/no-machine-${size.width}.png` })
  }
  await guest.keyboard.press('n')
  await expect(guest.getByRole('dialog')).toContainText('Ask an owner or admin of this hub')
  await guest.keyboard.press('Escape')
  await expect(guest.getByRole('link', { name: 'People' })).toHaveCount(0)

  await person.page.goto(`${system.hub.url}/people`)
  await person.page.getByTestId('person-ben@example.com').getByRole('button').click()
  await person.page.getByRole('checkbox').first().check()
  await person.page.getByRole('button', { name: 'Save' }).click()
  await expect(person.page.getByTestId('person-ben@example.com')).toContainText('1 machine')
  await guest.reload()
  await expect(guest.getByText('Connected')).toBeVisible()

  await person.page.getByRole('link', { name: 'Audit log' }).click()
  await expect(person.page.getByText('Chain intact')).toBeVisible()
  await expect(person.page.getByTestId('audit-row').first()).toContainText('Ana changed the rights of a person')
  await guest.goto(`${system.hub.url}/audit`)
  await expect(guest.getByText('Only owners and admins see this page')).toBeVisible()
  await guest.context().close()
})

test('[T77] [A22] [I10] who is kept out while a turn streams sees no more of it', async ({
  person,
  system,
  browser,
}) => {
  const guest = await invite(person.page, system, browser, { email: 'eve@example.com', role: 'viewer', machines: true })
  const sessionId = await person.startSession(prompts.stream(4_000))
  await guest.goto(`${system.hub.url}/sessions/${sessionId}`)
  await expect(guest.getByTestId('live-block')).toContainText('word3')
  await expect(guest.getByLabel('Prompt')).toHaveCount(0)
  const control = await person.page.context().newPage()
  await control.goto(`${system.hub.url}/people`)
  await control.getByTestId('person-eve@example.com').getByRole('button').click()
  await control.getByRole('button', { name: 'Disable' }).click()
  await expect(guest).toHaveURL(/\/login/)
  await expect(guest.getByRole('status')).toContainText('You were signed out')
  await guest.getByLabel('E-mail').fill('eve@example.com')
  await guest.getByLabel('Password').fill(owner.password)
  await guest.getByRole('button', { name: 'Sign in' }).click()
  await expect(guest.getByText('The e-mail address or the password is wrong.')).toBeVisible()
  await guest.context().close()
  await control.close()
  await person.page.getByRole('button', { name: /Stop/ }).click()
})

variation('[T49] an approver answers the question, and may not prompt', async ({ person, system, browser }) => {
  const guest = await invite(person.page, system, browser, {
    email: 'apo@example.com',
    role: 'approver',
    machines: true,
  })
  const sessionId = await person.startSession(prompts.write('scripted', path.join(system.workDir, 'y'), 'y', 'Done.'))
  await guest.goto(`${system.hub.url}/sessions/${sessionId}`)
  await guest.getByRole('button', { name: 'Allow', exact: true }).click()
  await expect(person.page.getByTestId('permission-prompt')).toHaveCount(0)
  await expect(person.page.getByTestId('turn-end')).toHaveCount(1)
  await expect(guest.getByLabel('Prompt')).toHaveCount(0)
  await guest.context().close()
})

test('[AUTH-1.13] a person sees where they are signed in, ends another login, whose page then asks nothing more, and gives a program a token', async ({
  person,
  system,
  browser,
}) => {
  const guest = await invite(person.page, system, browser, {
    email: 'tia@example.com',
    role: 'operator',
    machines: true,
  })
  const other = await (await browser.newContext()).newPage()
  await other.goto(`${system.hub.url}/login`)
  await other.getByLabel('E-mail').fill('tia@example.com')
  await other.getByLabel('Password').fill(owner.password)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await expect(other.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
  await other.goto(`${system.hub.url}/account`)
  await other.getByRole('button', { name: 'Create token' }).click()
  await other.getByRole('textbox', { name: 'Name' }).fill('too late')
  await other.getByLabel('Your password').fill(owner.password)
  // The browser does not leave for a page that is empty, so what the page does meanwhile is seen.
  await other.route(/\/login\?/, (route) => route.fulfill({ status: 204 }))

  await guest.goto(`${system.hub.url}/account`)
  const first = guest.getByRole('main').getByRole('button', { name: 'Sign out' })
  await expect(first).toHaveCount(1)
  await first.click()
  await expect(other.getByTestId('connection').first()).toHaveText('Signed out: sign in')
  const asked: string[] = []
  other.on('request', (request) => asked.push(request.url()))
  await other.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  await expect(other.getByRole('dialog')).toContainText('Sign in first.')
  expect(asked.filter((url) => url.includes('/api/'))).toEqual([])
  await other.unroute(/\/login\?/)
  await other.reload()
  await expect(other).toHaveURL(/\/login/)
  await expect(first).toHaveCount(0)

  await guest.getByRole('button', { name: 'Create token' }).click()
  await guest.getByRole('textbox', { name: 'Name' }).fill('nightly run')
  await guest.getByLabel('Your password').fill(owner.password)
  await guest.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  const token = await guest.getByTestId('shown-once').innerText()
  await guest.getByRole('button', { name: 'Done' }).click()
  const asProgram = () => fetch(`${system.hub.url}/api/v1/sessions`, { headers: { authorization: `Bearer ${token}` } })
  expect((await asProgram()).status).toBe(200)
  await guest.getByRole('button', { name: 'Revoke' }).click()
  await expect(guest.getByText('nightly run')).toHaveCount(0)
  expect((await asProgram()).status).toBe(401)
  await guest.context().close()
  await other.context().close()
})
