import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { HubProcess, owner } from '../support/hub-process'
import { freshFolder } from '../support/paths'
import { expect, test } from '../support/story'

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
    await page.goto(`${hub.url}/setup#${hub.setupCode}`)
    await expect(page.getByLabel('Setup code')).toHaveValue(hub.setupCode)
    expect(page.url()).not.toContain('#')
    await expect(page.getByLabel('Your name')).toBeFocused()
    await page.getByLabel('Your name').fill(owner.name)
    await page.getByLabel('E-mail').fill(owner.email)
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Create owner account' }).click()
    await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')

    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await page.goto(`${hub.url}/sessions`)
    await expect(page).toHaveURL(/\/login\?next=%2Fsessions$/)
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

// Each width and each theme once: the colours do not depend on the width.
const looks = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const

/** No page holds another, so axe needs no second one to add them up; of what is well it says nothing. */
const violationsOf = (page: Page) =>
  new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode()
    .analyze()

for (const { colorScheme, ...size } of looks) {
  test(`no page has a serious accessibility fault, ${colorScheme} at ${size.width} px`, async ({
    person,
    system,
    page,
  }) => {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await person.startSession('Show me what you can do.')
    await expect(person.ask).toBeVisible()
    const session = page.url()
    const others = ['/', '/sessions', '/agents', '/people', '/audit', '/account', '/invitation']
    for (const url of [session, ...others.map((path) => `${system.hub.url}${path}`)]) {
      await page.goto(url)
      await expect(page.getByRole('heading').first()).toBeVisible()
      const { violations } = await violationsOf(page)
      const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      expect(
        grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
        url,
      ).toEqual([])
    }
    await page.goto(session)
    await person.answer('Stop turn')
    await expect(person.turnEnds('interrupted')).toHaveCount(1)
  })
}
