/** What a machine would refuse is not offered, or is shown with the reason. */
import type { Page } from '@playwright/test'
import { expect, test } from '../support/story'

const optionsOf = (page: Page, label: string) => page.getByLabel(label, { exact: true }).locator('option')

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport })

    test('[POL-1] a sandbox above the policy is offered nowhere, and a folder outside the roots is named as such', async ({
      person,
      page,
    }) => {
      await page.getByRole('button', { name: 'New session' }).first().click()
      await expect(optionsOf(page, 'Sandbox')).toHaveText(['Read only', 'Write in folder'])
      await page.getByLabel('Folder').fill('/etc')
      await expect(page.getByText('Not inside a folder that this machine allows')).toBeVisible()
      await page.getByRole('button', { name: 'Close' }).click()
      await person.startSession('Say it. SCRIPT: [{"text":"Said."}]')
      await expect(person.turnEnds('completed')).toHaveCount(1)
      await page.getByLabel('Prompt').click()
      await expect(optionsOf(page, 'Sandbox')).toHaveText(['Read only', 'Write in folder'])
    })

    test('[POL-3] a paused machine is shown with the reason where a session could start, and in its sessions', async ({
      person,
      page,
      system,
    }) => {
      await person.startSession('Say it. SCRIPT: [{"text":"Said."}]')
      await expect(person.turnEnds('completed')).toHaveCount(1)
      await system.agent.pause()
      try {
        await expect(page.getByTestId('refusal-notice')).toContainText('is paused by its owner')
        await page.goto(`${system.hub.url}/`)
        await page.getByRole('button', { name: 'New session' }).first().click()
        await expect(page.getByText('No session can start on')).toContainText('paused by its owner')
        await expect(page.getByRole('button', { name: 'Start session' })).toBeDisabled()
        await expect(page.getByRole('button', { name: 'Start session' })).toBeDisabled()
      } finally {
        await system.agent.resume()
      }
      await expect(page.getByRole('button', { name: 'Start session' })).toBeEnabled()
    })
  })
}
