import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { retryWaits } from './retry-table'
import { newSigningSecret, signedHeaders } from './signature'

type Verify = (secret: string, headers: Record<string, string>, body: string, now?: number) => unknown

const page = readFileSync(path.resolve(import.meta.dirname, '../../../../../docs/webhooks.md'), 'utf8')

describe('the page about webhooks', () => {
  let verify: Verify
  const folder = mkdtempSync(path.join(tmpdir(), 'roundhouse-verify-'))
  beforeAll(async () => {
    const [, snippet = ''] = /<!-- a test runs this -->\n```js\n(.*?)```/s.exec(page) ?? []
    const file = path.join(folder, 'verify.mjs')
    writeFileSync(file, snippet)
    verify = (await import(/* @vite-ignore */ file)).verify
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const [secret, older] = [newSigningSecret(), newSigningSecret()]
  const at = 1_795_000_000_000
  const body = '{"type":"ping"}'
  const headers = (...secrets: string[]) => signedHeaders({ id: 'msg_1', timestamp: at / 1_000, body }, secrets)

  it('[HOOK-2.1] verifies what the hub signs, also with two secrets', () => {
    expect(verify(secret, headers(secret), body, at + 299_000)).toEqual({ type: 'ping' })
    expect(verify(older, headers(secret, older), body, at)).toEqual({ type: 'ping' })
  })

  it.each([
    ['another secret', () => verify(older, headers(secret), body, at)],
    ['another body', () => verify(secret, headers(secret), '{"type":"pong"}', at)],
    ['another id', () => verify(secret, { ...headers(secret), 'webhook-id': 'msg_2' }, body, at)],
    ['a time that is over', () => verify(secret, headers(secret), body, at + 301_000)],
    ['a time to come', () => verify(secret, headers(secret), body, at - 301_000)],
    ['no time', () => verify(secret, { ...headers(secret), 'webhook-timestamp': '' }, body, at)],
    ['no signature', () => verify(secret, { ...headers(secret), 'webhook-signature': '' }, body, at)],
    ['another version', () => verify(secret, { ...headers(secret), 'webhook-signature': 'v2,abc' }, body, at)],
  ])('refuses %s', (_what, attempt) => {
    expect(attempt).toThrow()
  })

  it('[HOOK-3.1] names the waits of the table', () => {
    const words = (ms: number) => (ms < 60_000 ? `${ms / 1_000} s` : `${ms / 60_000} min`)
    expect(page.replace(/\n/g, ' ')).toContain(`${retryWaits.slice(0, -1).map(words).join(', ')}, and then every hour`)
  })
})
