/** What axe finds on every page that the hub has, at both widths and in both themes; `npm run screens` combines all of them. */
import type { Page } from '@playwright/test'
import type { AgentView } from '@roundhouse/backend-types'
import { inOneTheme } from '../support/browser/axe'
import { pageRoutes } from '../support/browser/page-routes'
import { withMachines } from '../support/browser/shown-machines'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { freshFolder } from '../support/common/paths'
import { HubProcess } from '../support/processes/hub-process'

const steps = [
  { text: 'It is **there**, see [the page](https://example.org):\n\n```ts\nconst limit = 1\n```' },
  { tool: 'Edit', ask: false, input: { file_path: 'a.ts', old_string: 'let a = 1', new_string: 'const a = 1' } },
  { tool: 'Bash', input: { command: 'npm test' }, output: 'ok', ask: 'to see it green' },
]

const machinesOf = (first: AgentView): AgentView[] => {
  const states: Partial<AgentView>[] = [
    { state: 'pending', manifest: null },
    { clonedAt: 1, online: false },
    { disk: 'full' },
    { disk: 'failing', clockSkewMs: 600_000 },
    { pausedAt: 1 },
    { state: 'revoked', online: false },
    { online: false },
  ]
  return states.map((state, n) => ({ ...first, ...state, agentId: `agt_${n}`, name: `machine ${n}` }))
}
const statesOfMachines = [
  'Waiting for your approval',
  'Copied or restored',
  'Disk full',
  'Disk failing',
  'Paused by its owner',
]

/** Its contents are there, not only its frame. */
async function isWhole(page: Page): Promise<void> {
  await expect(page.getByRole('heading').first()).toBeVisible()
  await expect(page.getByText(/^Loading .*…$/)).toHaveCount(0)
}

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport })

    test('no page has a serious accessibility fault, in light or dark', async ({ person, system, page, browser }) => {
      const sessionId = await person.startSession(`Show me. SCRIPT: ${JSON.stringify(steps)}`)
      await expect(person.ask).toBeVisible()
      const stranger = await browser.newPage({ viewport })
      // The way back from an identity provider stays as long as the hub has not answered.
      await stranger.route(/\/link-back$/, () => {})
      const found: string[] = []
      for (const { path, isGate } of pageRoutes({ sessionId })) {
        const visitor = isGate ? stranger : page
        await visitor.goto(`${system.hub.url}${path}`)
        await isWhole(visitor)
        found.push(...(await inOneTheme(visitor)))
      }
      expect(found).toEqual([])
      await stranger.close()
      await page.goto(`${system.hub.url}/sessions/${sessionId}`)
      await person.answer('Stop turn')
      await expect(person.turnEnds('interrupted')).toHaveCount(1)
    })

    test('nor has an address without a page, a page that broke, a machine in any state, a session that has ended or is away', async ({
      person,
      system,
      page,
    }) => {
      const found: string[] = []
      const looks = async (what: string, shown = page) => {
        found.push(...(await inOneTheme(shown)).map((fault) => `${what}: ${fault}`))
      }
      const sessionId = await person.startSession(`Show me. SCRIPT: ${JSON.stringify(steps)}`)
      await expect(person.ask).toBeVisible()
      await withMachines(page, machinesOf)
      await page.goto(`${system.hub.url}/agents`)
      for (const words of statesOfMachines) await expect(page.getByText(words, { exact: true }).first()).toBeVisible()
      await looks('machines')
      await page.unrouteAll()

      await page.goto(`${system.hub.url}/nowhere`)
      await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
      await looks('not found')
      const breaks = await page.context().newPage()
      await breaks.addInitScript(() => {
        Date.prototype.toLocaleTimeString = () => {
          throw new Error('this browser has no times')
        }
      })
      await breaks.goto(`${system.hub.url}/sessions/${sessionId}`)
      await expect(breaks.getByRole('heading', { name: 'Something went wrong' })).toBeVisible()
      await looks('a broken page', breaks)
      await breaks.close()

      await system.agent.kill()
      await page.goto(`${system.hub.url}/sessions/${sessionId}`)
      await expect(person.status).toContainText('Machine offline')
      await looks('away')
      await system.agent.start()
      const { rest, close } = await system.hub.client()
      await rest.stop(sessionId)
      close()
      await expect(person.status).toContainText('Ended')
      await looks('ended')
      expect(found).toEqual([])
    })

    variation('nor has the page that makes the first account', async ({ page }) => {
      const hub = new HubProcess(freshFolder('hub'))
      await hub.start()
      try {
        await page.goto(`${hub.url}/setup`)
        await expect(page.getByLabel('Setup code')).toBeFocused()
        expect(await inOneTheme(page)).toEqual([])
      } finally {
        await hub.stop()
      }
    })
  })
}
