/** Settings with which a hub does not start: it says why in one sentence, and never opens its port. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { HubProcess } from '../support/processes/hub-process'

let folder: string
beforeEach(() => {
  folder = freshFolder('insecure')
})
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

const refusal = (env: Record<string, string>) => new HubProcess(folder, env).refusal()

describe('a hub', () => {
  it.each<Record<string, string>>([
    { HOST: '0.0.0.0' },
    { HOST: '::', ROUNDHOUSE_PUBLIC_URL: 'https://hub.example' },
    { HOST: '0.0.0.0', ROUNDHOUSE_BEHIND_TLS_PROXY: '1', ROUNDHOUSE_PUBLIC_URL: 'http://hub.example' },
  ])('[T83] [A6] does not listen beyond this machine without TLS in front: %j', async (env) => {
    expect(await refusal(env)).toContain('ROUNDHOUSE_BEHIND_TLS_PROXY')
  })

  it.each(['hunter2', 'changeme'.repeat(8)])('[T82] [A47] does not take a weak secret: %s', async (secret) => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, 'secret'), secret)
    expect(await refusal({})).toMatch(/The secret in .* delete the file/)
  })
})
