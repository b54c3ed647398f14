import { rmSync } from 'node:fs'
import { IdentityProvider } from '../support/browser/identity-provider'
import { expect, test } from '../support/browser/story'
import { freshFolder } from '../support/common/paths'
import { HubProcess, owner } from '../support/processes/hub-process'

test('a person links their account with the identity provider, signs out and comes in by it', async ({ page }) => {
  const provider = await IdentityProvider.start()
  const hub = new HubProcess(freshFolder('hub'), provider.env)
  await hub.start()
  try {
    await hub.makeOwner()
    const violations: string[] = []
    page.on('console', (message) => message.type() === 'error' && violations.push(message.text()))

    await page.goto(`${hub.url}/account`)
    await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
    await page.getByRole('link', { name: 'Go on as sub-ana' }).click()
    await expect(page.getByText('No account here is linked to that Example ID account')).toBeVisible()

    await page.getByLabel('E-mail').fill(owner.email)
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Link', exact: true }).click()
    await page.getByLabel('Your password').fill(owner.password)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: 'Go on as sub-ana' }).click()
    await expect(page).toHaveURL(`${hub.url}/account`)
    await expect(page.getByText(/^Linked .* You can sign in with Example ID/)).toBeVisible()

    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await page.goto(`${hub.url}/sessions`)
    await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
    await page.getByRole('link', { name: 'Go on as sub-ana' }).click()
    await expect(page).toHaveURL(`${hub.url}/sessions`)
    await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
    await page.goto(`${hub.url}/account`)
    await page.getByRole('button', { name: 'Unlink' }).click()
    await page.getByLabel('Your password').fill(owner.password)
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
    await expect(page.getByRole('button', { name: 'Link', exact: true })).toBeVisible()
    expect(violations.filter((text) => /policy|Trusted/i.test(text))).toEqual([])
  } finally {
    await hub.stop()
    await provider.stop()
    rmSync(hub.dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
})
