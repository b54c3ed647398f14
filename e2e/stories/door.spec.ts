import { expect, test } from '../support/browser/story'
import { freshFolder } from '../support/common/paths'
import { HubProcess, owner } from '../support/processes/hub-process'

test('the first person makes themselves the owner with the printed code, signs out and signs in', async ({ page }) => {
  const hub = new HubProcess(freshFolder('hub'))
  await hub.start()
  try {
    const violations: string[] = []
    page.on('console', (message) => message.type() === 'error' && violations.push(message.text()))
    // Without the link's code the way leads there as well.
    await page.goto(hub.url)
    await expect(page).toHaveURL(/\/setup$/)
    await expect(page.getByLabel('Setup code')).toBeFocused()
    // A browser without a key asks the hub for nothing that needs one.
    expect(violations).toEqual([])
    await page.goto(`${hub.url}/setup#${hub.setupCode}`)
    await expect(page.getByLabel('Setup code')).toHaveValue(hub.setupCode)
    expect(page.url()).not.toContain('#')
    await expect(page.getByLabel('Your name')).toBeFocused()
    await page.getByLabel('Your name').fill(owner.name)
    await page.getByLabel('E-mail').fill(owner.email)
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Create owner account' }).click()
    await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')

    const other = await page.context().newPage()
    other.on('console', (message) => message.type() === 'error' && violations.push(message.text()))
    await other.goto(`${hub.url}/sessions`)
    await expect(other.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    // As the other tab notes it where it hears of its inbox only now.
    await page.evaluate(() => localStorage.setItem('roundhouse.signed-in', 'yes'))
    await page.goto(`${hub.url}/sessions`)
    await expect(page).toHaveURL(/\/login\?next=%2Fsessions$/)
    // Nor does one that keeps the key of a login that it ended.
    expect(violations).toEqual([])
    await page.getByLabel('E-mail').fill(owner.email)
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(/\/sessions$/)
    await expect(page.getByRole('heading', { name: 'Sessions', exact: true })).toBeVisible()
    expect(violations.filter((text) => /policy|Trusted/i.test(text))).toEqual([])
  } finally {
    await hub.stop()
  }
})
