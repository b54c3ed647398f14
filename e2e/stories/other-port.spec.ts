/** WEB-3 in a real browser: what another port of the same host receives or sets is worth nothing, and the owner notices nothing of it. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Page } from '@playwright/test'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { freshFolder } from '../support/common/paths'
import { clearKeys } from '../support/processes/browser-login'
import { HubProcess, owner } from '../support/processes/hub-process'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { OtherPort } from '../support/wire/other-port'
import { RawSocket } from '../support/wire/raw-socket'
import { RawWeb } from '../support/wire/raw-web'

test.setTimeout(90_000)

let hub: HubProcess
let web: RawWeb
let other: OtherPort
test.beforeEach(async () => {
  hub = new HubProcess(freshFolder('hub'))
  await hub.start()
  web = new RawWeb(hub)
  await web.makeOwner()
  other = await OtherPort.start()
})
test.afterEach(async () => {
  await other.stop()
  await hub.stop()
})

const at = (host: string, path: string) => `http://${host}:${hub.port}${path}`

async function signIn(page: Page, host: string): Promise<void> {
  await page.goto(at(host, '/login'))
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await isIn(page)
}

async function isIn(page: Page): Promise<void> {
  await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
}

/** Whatever a browser sent there, as if it had been sent here. */
function stolen(headers: IncomingHttpHeaders, host: string): Record<string, string> {
  const { connection: _connection, ...rest } = headers
  const sent = Object.entries(rest).map(([name, value]) => [name, String(value)] as const)
  return { ...Object.fromEntries(sent), host: `${host}:${hub.port}`, origin: at(host, '').replace(/\/$/, '') }
}

for (const host of wholeMatrix ? ['localhost', '127.0.0.1'] : ['localhost']) {
  test(`[WEB-3.3] [A11] what http://${host} receives on another port opens no route, no socket and no page`, async ({
    page,
  }) => {
    await signIn(page, host)
    await page.goto(other.url(host))
    expect(await page.evaluate(() => document.cookie)).toBe('')
    expect(await page.evaluate(async () => (await indexedDB.databases()).length + localStorage.length)).toBe(0)
    const reach = (url: string) => fetch(url, { credentials: 'include' }).then((answer) => answer.text())
    expect(await page.evaluate(`(${reach})('${at(host, '/api/v1/me')}').catch(() => 'refused')`)).toBe('refused')

    const headers = stolen(other.received[0] ?? {}, host)
    const asked = await web.ask('/api/v1/me', { headers })
    expect([asked.status, asked.code]).toEqual([401, 'AUTH_REQUIRED'])
    const changed = await web.post('/api/v1/enrollment-tokens', {}, { ...headers, 'idempotency-key': 'a-stolen-key' })
    expect(changed.code).toBe('AUTH_REQUIRED')
    const { body } = await web.ask('/account', { headers })
    for (const known of [owner.name, owner.email]) expect(body).not.toContain(known)
    const { upgrade: _upgrade, ...upgradable } = headers
    const socket = new RawSocket(web, upgradable)
    expect(await socket.status).toBe(101)
    socket.send('40/viewer,')
    expect(await socket.hears('44/viewer,')).toContain('AUTH_REQUIRED')
    socket.close()
  })
}

test('[WEB-3.1] cookies that another port sets change nobody and lock nobody out', async ({ page, context }) => {
  await signIn(page, 'localhost')
  const eve = await web.signIn(await web.addPerson('eve', 'viewer'))
  const names = ['session_token', 'session_data', 'two_factor', 'state', 'passkey_challenge'].map(
    (n) => `roundhouse.${n}`,
  )
  const paths = ['/', '/api', '/api/auth', '/api/v1', '/login', '/socket.io']
  other.cookies = paths.flatMap((path) => names.map((name) => `${name}=${eve}; Path=${path}; Max-Age=31536000`))
  await page.goto(other.url('localhost'))
  expect(await context.cookies(at('localhost', '/api/auth/'))).not.toEqual([])

  await page.goto(at('localhost', '/account'))
  await isIn(page)
  await expect(page.getByText(owner.email).first()).toBeVisible()
  expect((await context.cookies(at('localhost', '/'))).map(({ name }) => name)).toEqual([])
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await signIn(page, 'localhost')

  // More than a request may carry, and nearly all that a browser keeps: the hub has them dropped, and the page loads again.
  const flood = Array.from({ length: 150 }, (_, i) => ({ name: `big${i}`, value: 'x'.repeat(4_000) }))
  await context.addCookies(flood.map((cookie) => ({ ...cookie, url: other.url('localhost') })))
  await page.goto(at('localhost', '/'))
  await isIn(page)
})

variation('[WEB-3.10] a proof that a page made is good for that one request, once', async ({ page }) => {
  const seen: Array<{ method: string; path: string; headers: Record<string, string>; body: string }> = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    const { 'x-roundhouse-proof': proof } = request.headers()
    if (proof)
      seen.push({
        method: request.method(),
        path: pathname + search,
        headers: request.headers(),
        body: request.postData() ?? '',
      })
  })
  await signIn(page, 'localhost')
  await expect.poll(() => seen.some(({ path }) => path === '/api/v1/me')).toBe(true)
  const made = seen.find(({ path }) => path === '/api/v1/me')
  const proof = { 'x-roundhouse-proof': made?.headers['x-roundhouse-proof'] ?? '', origin: web.origin }
  expect(made?.headers.cookie).toBeUndefined()
  expect((await web.ask('/api/v1/me', { headers: proof })).code).toBe('PROOF_STALE')
  expect((await web.ask('/api/v1/people', { headers: proof })).code).toBe('AUTH_REQUIRED')
  expect((await web.post('/api/v1/me', {}, proof)).code).not.toBe('PROOF_STALE')
})

variation(
  'a login outlives reloads and the hub, is one for all tabs, and ends in all of them',
  async ({ page, context }) => {
    await signIn(page, 'localhost')
    const tab = await context.newPage()
    await tab.goto(at('localhost', '/sessions'))
    await isIn(tab)
    await hub.kill()
    await hub.start()
    await isIn(page)
    await isIn(tab)
    await page.reload()
    await isIn(page)

    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await expect(tab).toHaveURL(/\/login\?next=%2Fsessions/)
    await signIn(page, 'localhost')
    await tab.goto(at('localhost', '/sessions'))
    await isIn(tab)

    // Where no page of the hub runs, which would note at once that somebody is signed in.
    await tab.close()
    await page.goto(at('localhost', '/api/v1/health'))
    await clearKeys(page)
    await page.goto(at('localhost', '/sessions'))
    await expect(page.getByText('This browser is not signed in to this hub')).toBeVisible()
    await signIn(page, 'localhost')
  },
)

variation('a browser that can make or keep no key says so, and signs nobody in', async ({ browser }) => {
  for (const [breaks, said] of [
    [() => Object.defineProperty(crypto, 'subtle', { value: undefined }), 'cannot create keys for this address'],
    [() => Object.defineProperty(window, 'indexedDB', { value: undefined }), 'stores no site data for this hub'],
  ] as const) {
    const page = await (await browser.newContext()).newPage()
    await page.addInitScript(breaks)
    await page.goto(at('localhost', '/login'))
    await expect(page.getByText(said)).toBeVisible()
    await page.getByLabel('E-mail').fill(owner.email)
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByText(said).first()).toBeVisible()
    await expect(page).toHaveURL(/\/login$/)
    await page.context().close()
  }
})
