/**
 * Takes the pictures for the documentation: the demo session while it waits, the inbox and the agents, in both themes
 * and both widths.
 */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { chromium, type Page } from '@playwright/test'
import config from '../../playwright.config'
import { owner } from '../processes/hub-process'
import { type System, startSystem } from '../processes/system'

const folder = path.resolve(process.argv[2] ?? 'screenshots')
const widths = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

async function signIn(page: Page, system: System): Promise<void> {
  await page.goto(`${system.hub.url}/login`)
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'New session' }).first().waitFor()
}

async function startDemo(page: Page, system: System): Promise<string> {
  await page.getByRole('button', { name: 'New session' }).first().click()
  await page.getByLabel('Folder').fill(system.workDir)
  await page.getByLabel('First prompt').fill('Show me what you can do.')
  await page.getByRole('button', { name: 'Start session' }).click()
  await page.getByTestId('permission-prompt').waitFor({ timeout: 60_000 })
  return page.url()
}

mkdirSync(folder, { recursive: true })
const system = await startSystem('scripted')
const browser = await chromium.launch(config.use?.launchOptions ?? {})
try {
  const first = await browser.newPage({ viewport: widths[0] ?? null })
  await signIn(first, system)
  const session = await startDemo(first, system)
  for (const viewport of widths) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const phone = viewport.width < 500
      const page = await browser.newPage({ viewport, colorScheme, hasTouch: phone, isMobile: phone })
      await signIn(page, system)
      const pages = { session, inbox: `${system.hub.url}/`, agents: `${system.hub.url}/agents` }
      for (const [name, url] of Object.entries(pages)) {
        await page.goto(url)
        await page
          .getByText(name === 'agents' ? 'Connected' : 'Allow for session')
          .first()
          .waitFor()
        await page.locator('[data-testid=connection][data-state=live]').first().waitFor({ state: 'attached' })
        if (name === 'session') await page.locator('.md').first().waitFor()
        if (name !== 'agents')
          await page.getByTestId('permission-prompt').locator('button:enabled', { hasText: 'Stop turn' }).waitFor()
        await page.waitForFunction(() => document.fonts.status === 'loaded')
        await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}-${viewport.width}.png`) })
      }
      await page.close()
    }
  }
} finally {
  await browser.close()
  await system.dispose()
}
