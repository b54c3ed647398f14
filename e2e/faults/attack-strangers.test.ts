/** Strangers with many addresses: behind a proxy that says where each comes from. */
import path from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { residentMib } from '../support/processes/process-cost'
import { hubOfFile } from '../support/wire/hub-of-file'
import { RawAgent, RawSocket } from '../support/wire/raw-socket'
import { newBrowserKey, type RawAnswer } from '../support/wire/raw-web'

const own = hubOfFile('attack-strangers', { env: { ROUNDHOUSE_BEHIND_TLS_PROXY: '1' } })
const { hub, web, folder } = own
const from = (address: string) => ({ 'x-forwarded-for': address })
/** Another address each time, all of one customer of a provider. */
const ofOneHouse = (i: number) => `2001:db8:7:7:${((i * 7919) % 65_536).toString(16)}:${i.toString(16)}::1`

function rows(): number {
  const database = new Database(path.join(folder, 'hub.db'), { readonly: true })
  const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[]
  const counts = tables.map((name) => database.prepare(`select count(*) from "${name}"`).pluck().get() as number)
  database.close()
  return counts.reduce((sum, count) => sum + count, 0)
}

async function knock(count: number, door: (i: number) => Promise<RawAnswer>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (let i = 0; i < count; i += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, j) => door(i + j)))
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

describe('a stranger with as many addresses as one customer gets', () => {
  it('[T76] [T84] is counted as one at every door, and fills neither the audit log nor any table', async () => {
    const key = await newBrowserKey()
    const password = 'wrong wrong wrong'
    const at = (i: number) => from(ofOneHouse(i))
    const doors: Array<[string, (i: number) => Promise<RawAnswer>]> = [
      [
        'passwords',
        (i) =>
          web.post('/api/auth/sign-in/email', { email: `n${i}@example.com`, password }, { ...at(i), 'new-key': key }),
      ],
      [
        'passkeys',
        (i) => web.post('/api/auth/passkey/sign-in', { response: { id: 'x' } }, { ...at(i), 'new-key': key }),
      ],
      ['passkey challenges', (i) => web.post('/api/auth/passkey/options', {}, { ...at(i), 'new-key': key })],
      [
        'setup codes',
        (i) => web.post('/api/v1/setup', { code: 'x', name: 'x', email: 'x@example.com', password }, at(i)),
      ],
      [
        'invitations',
        (i) => web.post('/api/v1/invitations/accept', { code: 'x'.repeat(43), name: 'x', password }, at(i)),
      ],
    ]
    for (const [what, door] of doors) {
      const before = rows()
      const counts = await knock(80, door)
      expect([what, (counts[429] ?? 0) >= 50, counts]).toEqual([what, true, expect.anything()])
      expect([what, rows() - before <= 40]).toEqual([what, true])
    }
  })

  it('[T70] [WEB-1] leaves next to nothing behind at the doors that are shut', async () => {
    const agent = new RawAgent(web)
    const garbage = {
      nonce: 'x',
      signature: 'x',
      newSignature: 'x',
      newPublicKey: agent.publicKey,
      publicKey: agent.publicKey,
    }
    const before = rows()
    await knock(200, (i) =>
      web.post(
        '/api/v1/agent/enroll',
        { ...garbage, token: 'x'.repeat(60), name: 'x', platform: 'x' },
        from(ofOneHouse(i)),
      ),
    )
    await knock(200, (i) => web.post('/api/v1/agent/rotate-key', { ...garbage, agentId: 'agt_x' }, from(ofOneHouse(i))))
    await knock(200, (i) => web.post('/api/v1/sessions', {}, { ...from(ofOneHouse(i)), origin: 'http://evil.example' }))
    await knock(200, (i) =>
      web.post('/api/v1/sessions', {}, { ...from(ofOneHouse(i)), 'idempotency-key': `of-nobody-${i}` }),
    )
    await knock(200, (i) =>
      web.ask('/api/v1/me', {
        headers: { ...from(ofOneHouse(i)), authorization: `Bearer rhp_${i}_${'x'.repeat(43)}` },
      }),
    )
    const sockets = Array.from(
      { length: 100 },
      (_, i) => new RawSocket(web, { ...from(ofOneHouse(i)), origin: 'http://evil.example' }),
    )
    expect(new Set(await Promise.all(sockets.map(({ status }) => status)))).toEqual(new Set([403]))
    expect(rows() - before).toBeLessThan(60)
  })
})

describe('sockets of nobody', () => {
  it('[T16] [LINK-1.10] 1,000 of as many addresses keep out neither the owner nor a machine, and are all closed', async () => {
    const machine = new RawAgent(web)
    expect((await machine.enroll(hub.enrollment().token)).status).toBe(201)
    const before = residentMib(hub.pid)
    const sockets: RawSocket[] = []
    for (let i = 0; i < 1_000; i += 200) {
      const wave = Array.from(
        { length: 200 },
        (_, j) => new RawSocket(web, { ...from(`100.64.${(i + j) >> 8}.${(i + j) & 255}`), origin: web.origin }),
      )
      sockets.push(...wave)
      await Promise.all(wave.map(({ status }) => status))
      const viewer = await new RawSocket(web, { ...from('192.0.2.77'), login: own.login, origin: web.origin }).enter(
        'viewer',
      )
      viewer.close()
      const link = await machine.connect()
      link.close()
    }
    expect(residentMib(hub.pid) - before).toBeLessThan(100)
    await Promise.all(sockets.map(({ closed }) => closed))
  })

  it('[T16] [VIEW-6] of a neighbour, who holds them and enters nothing, do not keep the owner behind the same address out', async () => {
    const house = from('192.0.2.90')
    const held = Array.from({ length: 40 }, () => new RawSocket(web, { ...house, origin: web.origin }))
    await Promise.all(held.map(({ status }) => status))
    const viewer = new RawSocket(web, { ...house, login: own.login, origin: web.origin })
    expect(await viewer.status).toBe(101)
    for (const socket of [...held, viewer]) socket.close()
  })
})
