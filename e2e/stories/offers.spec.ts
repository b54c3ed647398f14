/** What a machine would refuse is not offered, or is shown with the reason. */
import type { Page } from '@playwright/test'
import { screens } from '../support/browser/screens'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'

const optionsOf = (page: Page, label: string) => page.getByLabel(label, { exact: true }).locator('option')

for (const viewport of screens) {
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport })

    test('[POL-1.3] a sandbox above the policy is offered nowhere, and a folder outside the roots is named as such', async ({
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

    variation(
      '[POL-1] a folder that is not there is refused in the dialog, which keeps what was written, and leaves no session',
      async ({ person, page, system }) => {
        const prompt = `Say it. SCRIPT: [{"text":"Said at ${viewport.width}."}]`
        const { rest, close } = await system.hub.client()
        const before = (await rest.sessions({})).items.length
        await page.getByRole('button', { name: 'New session' }).first().click()
        await page.getByLabel('Folder').fill(`${system.workDir}/not-here`)
        await expect(page.getByText('There is no such folder on this machine.')).toBeVisible()
        await page.getByLabel('First prompt').fill(prompt)
        await page.getByRole('button', { name: 'Start session' }).click()
        const refusal = page.getByRole('dialog').getByRole('alert')
        await expect(refusal).toContainText('There is no such folder on this machine. No session was started.')
        await expect(refusal).not.toContainText('outside')
        await expect(refusal).not.toContainText('allow')
        await page.screenshot({ path: `test-results/no-folder-${viewport.width}.png` })
        await expect(page.getByLabel('First prompt')).toHaveValue(prompt)
        expect((await rest.sessions({})).items).toHaveLength(before)
        close()
        await page.getByLabel('Folder').fill(system.workDir)
        await page.getByRole('button', { name: 'Start session' }).click()
        await expect(person.transcript.getByText(`Said at ${viewport.width}.`, { exact: true })).toBeVisible()
      },
    )

    variation('the button that starts a session stays in view, however low the screen is', async ({ person, page }) => {
      await page.setViewportSize({ width: viewport.width, height: 480 })
      await person.page.getByRole('button', { name: 'New session' }).first().click()
      await page.getByLabel('First prompt').fill('One line of many.\n'.repeat(30))
      const start = page.getByRole('button', { name: 'Start session' })
      await expect(start).toBeInViewport({ ratio: 1 })
      await page.getByLabel('Folder').focus()
      await expect(page.getByLabel('Folder')).toBeInViewport({ ratio: 1 })
      await page.getByLabel('Folder').fill('/etc')
      await start.click()
      await expect(page.getByRole('dialog').getByRole('alert')).toBeInViewport({ ratio: 1 })
      await expect(start).toBeInViewport({ ratio: 1 })
    })

    variation(
      '[POL-1] what a machine refused later says so on its own page, with the prompt for another try',
      async ({ person, page, system }) => {
        const prompt = `Say it. SCRIPT: [{"text":"Said later at ${viewport.width}."}]`
        const { rest, close } = await system.hub.client()
        const { agentId = '' } = (await rest.agents()).items.find(({ online }) => online) ?? {}
        const refused = async (workDir: string) =>
          (await rest.createSession({ agentId, settings: { backend: 'scripted', workDir }, prompt })).sessionId
        await page.goto(`${system.hub.url}/sessions/${await refused('/etc')}`)
        const notice = page.getByTestId('session-notice')
        await expect(notice).toContainText('Choose another folder, or allow this one on that machine:')
        await expect(notice.getByTestId('command')).toHaveText(/ allow \/etc$/)
        await expect(notice.getByRole('button', { name: 'Copy' })).toBeVisible()
        await page.goto(`${system.hub.url}/sessions/${await refused(`${system.workDir}/not-here`)}`)
        await expect(notice).toContainText('There is no such folder on this machine. Choose another folder.')
        await expect(notice.getByTestId('command')).toHaveCount(0)
        await expect(page.getByRole('group', { name: 'Not sent' })).toContainText(prompt)
        await notice.getByRole('button', { name: 'New session like this' }).click()
        await expect(page.getByLabel('First prompt')).toHaveValue(prompt)
        await page.getByLabel('Folder').fill(system.workDir)
        await page.getByRole('button', { name: 'Start session' }).click()
        await expect(person.transcript.getByText(`Said later at ${viewport.width}.`, { exact: true })).toBeVisible()
        close()
      },
    )

    variation(
      '[POL-3] a paused machine is shown with the reason where a session could start, and in its sessions',
      async ({ person, page, system }) => {
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
      },
    )
  })
}
