/** What a person shows beside the password: codes of an authenticator, backup codes, passkeys. A hub without machines is enough. */
import type { Page } from '@playwright/test'
import { codeOf } from '../support/browser/authenticator'
import { expect, test } from '../support/browser/story'
import { freshFolder } from '../support/common/paths'
import { clearKeys } from '../support/processes/browser-login'
import { HubProcess, owner } from '../support/processes/hub-process'
import { RawWeb } from '../support/wire/raw-web'

test.setTimeout(60_000)

let hub: HubProcess
test.beforeEach(async () => {
  hub = new HubProcess(freshFolder('hub'))
  await hub.start()
  await new RawWeb(hub).makeOwner()
})
test.afterEach(() => hub.stop())

async function signIn(page: Page): Promise<void> {
  await page.goto(`${hub.url}/login`)
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Another browser, as it were. */
async function forget(page: Page): Promise<void> {
  await clearKeys(page)
  await page.goto(`${hub.url}/login`)
}

async function isIn(page: Page): Promise<void> {
  await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
}

function refusalsOf(page: Page): string[] {
  const refusals: string[] = []
  page.on('console', (message) => /policy|Trusted/i.test(message.text()) && refusals.push(message.text()))
  return refusals
}

test('[T67] a person turns codes on, signs in with one and with a backup code, and turns them off', async ({
  page,
}) => {
  const refusals = refusalsOf(page)
  const dialog = page.getByRole('dialog')
  await signIn(page)
  await isIn(page)
  await page.goto(`${hub.url}/account`)
  await page.getByRole('button', { name: 'Turn on' }).click()
  await dialog.getByLabel('Your password').fill('not the password')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByText('The password is wrong.')).toBeVisible()
  await dialog.getByLabel('Your password').fill(owner.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  const secret = await page.getByTestId('totp-secret').innerText()
  await dialog.getByLabel('Code from the app').fill(codeOf(secret, -1))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  const [backupCode = '', another = ''] = (await page.getByTestId('shown-once').innerText()).split('\n')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('10 backup codes are left')).toBeVisible()

  await forget(page)
  await signIn(page)
  await page.getByLabel('Code').fill('000000')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByText('That code is wrong')).toBeVisible()
  await page.getByLabel('Code').fill(codeOf(secret))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await isIn(page)
  await forget(page)
  await signIn(page)
  await page.getByLabel('Code').fill(backupCode)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await isIn(page)

  await page.goto(`${hub.url}/account`)
  await expect(page.getByText('9 backup codes are left')).toBeVisible()
  await page.getByRole('button', { name: 'Turn off' }).click()
  await dialog.getByLabel('Your password').fill(owner.password)
  await dialog.getByLabel('Code').fill(another)
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByRole('button', { name: 'Turn on' })).toBeVisible()
  expect(refusals).toEqual([])
})

test('a person adds a passkey, comes in by it alone, renames and removes it', async ({ page }) => {
  const refusals = refusalsOf(page)
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  })
  const withPasskey = page.getByRole('button', { name: 'Use a passkey' })
  await signIn(page)
  await isIn(page)
  await page.goto(`${hub.url}/account`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('My laptop')
  await page.getByLabel('Your password').fill(owner.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('My laptop')).toBeVisible()

  await forget(page)
  await withPasskey.click()
  await isIn(page)

  await page.goto(`${hub.url}/account`)
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('The old laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await expect(page.getByText('The old laptop')).toBeVisible()
  await page.getByRole('button', { name: 'Remove' }).click()
  const asked = page.getByRole('dialog', { name: 'Remove this passkey?' })
  await asked.getByLabel('Your password').fill('not the password')
  await asked.getByRole('button', { name: 'Remove' }).click()
  await expect(asked.getByText('The password is wrong.')).toBeVisible()
  await asked.getByLabel('Your password').fill(owner.password)
  await asked.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('The old laptop')).toHaveCount(0)
  await forget(page)
  await withPasskey.click()
  await expect(page.getByText('The hub did not accept that passkey.')).toBeVisible()
  expect(refusals).toEqual([])
})
