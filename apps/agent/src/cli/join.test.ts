import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { agentHome } from '../files/agent-home'
import { readIdentity } from '../identity/identity-file'
import { FakeHub } from '../testing/fake-hub'
import { join } from './join'

let hub: FakeHub
let folder: string
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-join-'))
  hub = new FakeHub()
  await hub.start()
})
afterEach(async () => {
  await hub.stop()
  rmSync(folder, { recursive: true })
})

const home = () => agentHome({ ROUNDHOUSE_AGENT_HOME: folder })
function joins(fields: { replace?: true; name?: null } = {}): Promise<string> {
  const tokenFile = path.join(folder, 'token')
  writeFileSync(tokenFile, hub.token, { mode: 0o600 })
  const asked = { url: hub.url, fingerprint: hub.fingerprint, tokenFile, name: 'desk', plainHttp: true, replace: false }
  return join(home(), { verb: 'join', ...asked, ...fields })
}

it('[JOIN-2] where its hub was set up anew, join says that --replace is for that, and with it joins', async () => {
  await joins()
  const before = readIdentity(home().identityFile)
  await hub.stop()
  hub = new FakeHub()
  await hub.start()
  await expect(joins()).rejects.toMatchObject({
    code: 'ALREADY_RUNNING',
    message: `This machine already belongs to ${before?.hubUrl} as "desk". To leave that hub, or to join it again after it was set up again with another key, add --replace.`,
  })
  expect([readIdentity(home().identityFile), hub.tokenUsed]).toEqual([before, false])
  expect(await joins({ replace: true })).toContain(`Joined ${hub.url} as "desk".`)
  const now = readIdentity(home().identityFile)
  expect(now).toMatchObject({ hubUrl: hub.url, hubPublicKey: hub.keys.publicKey })
  expect(now?.publicKey).not.toBe(before?.publicKey)
  expect(existsSync(home().chainFile)).toBe(false)
})

it('[JOIN-1.12] says which name the machine has at the hub where its token fixes another than --name, and else nothing', async () => {
  hub.tokenName = 'Office desk'
  expect((await joins()).split('\n').slice(0, 2)).toEqual([
    `Joined ${hub.url} as "Office desk".`,
    'The name "desk" was not used: the enrollment token was created for "Office desk". Rename it on the hub\'s Machines page.',
  ])
  expect(readIdentity(home().identityFile)?.name).toBe('Office desk')
  for (const fields of [{ name: null, tokenName: 'Office desk' }, {}]) {
    const { tokenName, ...asked } = { tokenName: undefined, ...fields }
    await hub.stop()
    hub = new FakeHub()
    hub.tokenName = tokenName
    await hub.start()
    expect(await joins({ replace: true, ...asked })).not.toContain('was not used')
  }
})
