/**
 * How much JavaScript a page makes the browser fetch, gzipped, until nothing more comes: what it needs, and what it fetches
 * in advance. `npx playwright test stories/weight.spec.ts --project=stories` prints the figures of docs/performance.md.
 */
import { gzipSync } from 'node:zlib'
import type { Page, Response } from '@playwright/test'
import { expect, test } from '../support/browser/story'
import { signInPage } from '../support/processes/browser-login'

const KB = 1_000
/** kB, a little above what was measured. The inbox should come below 200; docs/performance.md says what is in the way. */
const limits = { inbox: 224, session: 341 }

/** Bytes by address, without its query. */
async function scriptsOf(page: Page, show: () => Promise<void>): Promise<Map<string, number>> {
  const scripts: Response[] = []
  const collect = (response: Response) => {
    if (response.request().resourceType() === 'script' && response.ok()) scripts.push(response)
  }
  page.on('response', collect)
  await show()
  await page.waitForLoadState('networkidle')
  page.off('response', collect)
  const weights = scripts.map(
    async (response): Promise<[string, number]> => [
      new URL(response.url()).pathname,
      gzipSync(await response.body()).length,
    ],
  )
  return new Map(await Promise.all(weights))
}

function weigh(name: string, scripts: Map<string, number>): number {
  const sorted = [...scripts].sort(([, a], [, b]) => b - a)
  const kB = Math.round(sorted.reduce((sum, [, bytes]) => sum + bytes, 0) / KB)
  const parts = sorted.map(([address, bytes]) => `${(bytes / KB).toFixed(1)} ${address.split('/').at(-1)}`)
  console.log(`${name}: ${kB} kB of JavaScript in ${scripts.size} files\n  ${parts.join('\n  ')}`)
  return kB
}

const steps = [
  { text: '## Found\n\nThe **limit** is read twice:\n\n```ts\nexport const limit = Number(process.env.LIMIT)\n```' },
  {
    tool: 'Edit',
    input: { file_path: 'a.ts', old_string: 'let a = 1', new_string: 'const a = 1' },
    output: 'ok',
    ask: false,
  },
  { tool: 'Bash', input: { command: 'npm test' }, output: 'ok', ask: 'to see it green' },
]

test('the inbox, and a session with prose, code and a change, fetch no more JavaScript than they may', async ({
  person,
  browser,
  system,
}) => {
  await person.startSession(`Show me. SCRIPT: ${JSON.stringify(steps)}`)
  await expect(person.ask).toBeVisible()
  const fresh = async () => {
    const page = await (await browser.newContext()).newPage()
    await signInPage(page, system.hub.url)
    return page
  }

  const inbox = await fresh()
  const ofInbox = await scriptsOf(inbox, async () => {
    await inbox.goto(`${system.hub.url}/`)
    await expect(inbox.getByTestId('permission-prompt')).toBeVisible()
  })
  const session = await fresh()
  const ofSession = await scriptsOf(session, async () => {
    await session.goto(`${system.hub.url}/sessions/${person.sessionId}`)
    await expect(session.locator('.md .text-code-keyword').first()).toBeVisible()
    await expect(session.getByTestId('permission-prompt')).toBeVisible()
  })
  const found = { inbox: weigh('/', ofInbox), session: weigh('/sessions/ID', ofSession) }
  expect.soft(found.inbox).toBeLessThanOrEqual(limits.inbox)
  expect.soft(found.session).toBeLessThanOrEqual(limits.session)
  await person.answer('Stop turn')
  await Promise.all([inbox.context().close(), session.context().close()])
})
