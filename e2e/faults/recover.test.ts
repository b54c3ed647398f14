/** Nobody is left who could make a link for a new password: the owner of the hub's machine makes one there. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'
import { codeOf } from '../support/browser/authenticator'
import { repoRoot } from '../support/common/paths'
import { owner } from '../support/processes/hub-process'
import { hubOfFile } from '../support/wire/hub-of-file'
import { newBrowserKey } from '../support/wire/raw-web'
import { keyed } from '../support/wire/route-walk'

const own = hubOfFile('recover')
const { folder, hub, web } = own

function recover(...words: string[]) {
  const args = [path.join(repoRoot, 'apps/hub/dist/recover.js'), '--data', folder, ...words]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, text: `${stdout}${stderr}` }
}

it('a link that was made beside a hub that is down sets a new password, takes codes and tokens away, and stands in the audit log', async () => {
  const { login } = own
  const proof = { password: owner.password }
  const { secret } = JSON.parse((await web.post('/api/v1/me/totp', proof, { login, ...keyed })).body)
  await web.post('/api/v1/me/totp/confirm', { code: codeOf(secret) }, { login, ...keyed })
  const program = { name: 'script', scopes: ['read'], ttlDays: 1, ...proof, code: codeOf(secret, 1) }
  const { token } = JSON.parse((await web.post('/api/v1/me/tokens', program, { login, ...keyed })).body)
  const asProgram = () => web.ask('/api/v1/sessions', { headers: { authorization: `Bearer ${token}` } })
  expect((await asProgram()).status).toBe(200)
  expect(recover(owner.email)).toMatchObject({ status: 1, text: expect.stringContaining('Stop the hub first') })

  await hub.stop()
  expect(recover('nobody@example.com')).toMatchObject({
    status: 1,
    text: expect.stringContaining('Nobody has the e-mail'),
  })
  expect(recover().status).toBe(2)
  const made = recover(owner.email)
  const code = /\/invitation#(rhi_\S+)/.exec(made.text)?.[1]
  expect([made.status, typeof code]).toEqual([0, 'string'])

  await hub.start()
  const password = 'a wholly new password'
  expect((await web.post('/api/v1/invitations/accept', { code, password })).status).toBe(201)
  expect((await asProgram()).status).toBe(401)
  const inside = await newBrowserKey()
  const credentials = { email: owner.email, password }
  const signedIn = await web.post('/api/auth/sign-in/email', credentials, { 'new-key': inside })
  expect(JSON.parse(signedIn.body)).toEqual({ ok: true, codeNeeded: false })
  const { items, state } = JSON.parse((await web.ask('/api/v1/audit', { headers: { login: inside } })).body)
  const told = items.filter(({ action }: { action: string }) => action.startsWith('person.recover'))
  expect(told).toMatchObject([
    { action: 'person.recovered', detail: expect.stringContaining('"totp":"removed"') },
    { action: 'person.recover', actorId: 'hub', outcome: 'ok' },
  ])
  expect(state).toMatchObject({ intact: true })
})
