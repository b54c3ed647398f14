/** One record that cannot be read, or one look that fails, among many: the others are served all the same. */
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { liveHub, liveSession, requested, resolved, text } from '../testing/scenario'
import { ana, ben, type TestHub, vic } from '../testing/test-hub'

let hub: TestHub
let agent: FakeAgent
let sessionId: string
beforeEach(async () => {
  ;({ hub, agent, sessionId } = await liveHub())
})
afterEach(() => hub.stop())

const watch = (of: string) => ({ sessionId: of, afterSeq: 1, hubEpoch: hub.core.hub.hubEpoch() })
const unreadable = () => {
  throw new Error('SQLITE_CORRUPT: this record cannot be read')
}

/** What another process, or a disk, does to the file. */
function change(sql: string, ...values: unknown[]): void {
  const db = new Database(hub.store.file)
  db.prepare(sql).run(...values)
  db.close()
}

/** What is said of this person throws. */
function cannotRead(userId: string): void {
  const { people } = hub
  const get = people.get.bind(people)
  people.get = (id) => (id === userId ? unreadable() : get(id))
}

it('[STORE-6] a machine whose row is damaged: its sessions are opened and read, and the other machine takes prompts', async () => {
  await agent.emit(sessionId, text('before'))
  const other = await hub.connectedAgent('other')
  change(`UPDATE Agent SET roots = 'no list' WHERE agentId = ?`, agent.agentId)

  const viewer = await hub.viewer(ana)
  expect(await viewer.ask('watch', watch(sessionId))).toMatchObject({ ok: true })
  expect(await hub.core.viewerReads.view(sessionId)).toMatchObject({ sessionId })
  expect(await liveSession(hub, other, 'Go.')).not.toBe(sessionId)
})

describe('[STORE-6.8] a question that cannot be read', () => {
  const decide = (requestId: string) =>
    hub.core.permissions.decide(ana, requestId, { decision: 'allow', digest: `digest-${requestId}` }, hub.key())
  const tear = (requestId: string) => change(`UPDATE Request SET ask = '{"torn' WHERE requestId = ?`, requestId)
  const outcomeOf = async (requestId: string) => (await hub.store.reads.requests.find(requestId))?.outcome

  it('is left out, takes no answer, and leaves the other one of its session to be answered', async () => {
    await agent.emit(sessionId, requested('r1'), requested('r2'))
    tear('r1')
    const view = await hub.core.viewerReads.view(sessionId)
    expect(view).toMatchObject({ damaged: true, requests: [{ ask: { requestId: 'r2' } }] })
    expect((await hub.core.inbox.get(ana)).requests).toMatchObject([{ ask: { requestId: 'r2' } }])
    await expect(decide('r1')).rejects.toMatchObject({ code: 'STORAGE_DAMAGED' })
    expect(await decide('r2')).toMatchObject({ decision: { answer: 'allow' } })
  })

  it('is closed by its machine, and holds up none of the events around', async () => {
    await agent.emit(sessionId, requested('r1'), requested('r2'))
    const decision = () => agent.commands.find(({ body }) => body.kind === 'permission.decide')
    await decide('r1')
    await agent.waiter.until(() => decision() !== undefined)
    tear('r1')
    const more = { commandId: decision()?.commandId ?? '', edited: true, effectiveInput: {}, effectiveDigest: 'e' }
    await agent.emit(sessionId, resolved('r1', 'applied', more), resolved('r2', 'withdrawn'), text('after'))
    expect([await outcomeOf('r1'), await outcomeOf('r2')]).toEqual(['applied', 'withdrawn'])
  })
})

describe('[AUTH-1] rights that cannot be read', () => {
  it('of one viewer keep nobody in whose rights ended, and close nobody else', async () => {
    const viewers = { vic: await hub.viewer(vic), ben: await hub.viewer(ben), ana: await hub.viewer(ana) }
    for (const viewer of Object.values(viewers)) await viewer.ask('watch', watch(sessionId))
    hub.people.delete(ben.userId)
    cannotRead(vic.userId)
    change('UPDATE HubState SET rightsVersion = rightsVersion + 1')
    await agent.emit(sessionId, text('after'))
    await viewers.ben.until(() => !viewers.ben.socket.connected)
    await viewers.vic.until(() => !viewers.vic.socket.connected)
    await viewers.ana.until(() => viewers.ana.events.length === 1)
    expect([viewers.ben.events, viewers.vic.events]).toEqual([[], []])
  })

  it('of one author leave no command of another to wait for its machine', async () => {
    const sessions = [sessionId, await liveSession(hub, agent)]
    await hub.leave(agent)
    const cyd = { ...ben, userId: 'u_cyd', name: 'Cyd', credential: { kind: 'login', id: 'u_cyd-1' } as const }
    hub.people.set(cyd.userId, cyd)
    const prompt = (actor: typeof ana, at: number) =>
      hub.core.sessions.prompt(actor, sessions[at] ?? '', { promptId: `p${at}`, text: 'Go.' }, hub.key())
    const [ofCyd, ofBen] = [await prompt(cyd, 0), await prompt(ben, 1)]
    hub.people.delete(ben.userId)
    cannotRead(cyd.userId)
    change('UPDATE HubState SET rightsVersion = rightsVersion + 1')
    await hub.core.tick()
    expect(hub.commandState(ofBen.commandId)).toBe('expired')
    expect(hub.commandState(ofCyd.commandId)).toBe('pending')
  })
})

it('[VIEW-3] the head of one session cannot be read: viewers hear those of the others', async () => {
  const other = await liveSession(hub, agent)
  const viewer = await hub.viewer(ana)
  for (const one of [sessionId, other]) await viewer.ask('watch', watch(one))
  const { viewerReads } = hub.core
  const { heads } = viewerReads
  viewerReads.heads = async (ids) => new Map([...(await heads(ids))].filter(([id]) => id !== sessionId))
  await hub.gateway.sendHeads()
  await viewer.until(() => viewer.heads.length > 0)
  expect(viewer.heads).toEqual([{ [other]: 1 }])
})

it('[JOIN-3] the row of one machine cannot be read: another one that was revoked by another process is closed', async () => {
  const other = await hub.connectedAgent('other')
  const { machines } = hub.store.reads
  for (const look of ['findWithManifest', 'state'] as const) {
    const read = machines[look] as (id: string) => never
    machines[look] = (id) => (id === agent.agentId ? unreadable() : read(id))
  }
  change(`UPDATE Agent SET state = 'revoked' WHERE agentId = ?`, other.agentId)
  change('UPDATE HubState SET revocationVersion = revocationVersion + 1')
  await hub.core.tick()
  await other.waiter.until(() => other.revoked.length > 0)
  expect(other.revoked).toMatchObject([{ code: 'AGENT_REVOKED' }])
})

it('[STORE-6.6] sessions that cannot be read are told once each, however often their machine reports them', async () => {
  const other = await liveSession(hub, agent)
  change(`UPDATE Session SET settings = 'no settings'`)
  for (let n = 0; n < 5; n += 1) {
    const reports = [sessionId, other].map((id) => agent.report(id))
    expect(await agent.ask('sessions', { sessions: reports, last: true })).toMatchObject({ verdicts: [] })
  }
  const told = hub.warnings.filter(({ message }) => message === 'a session cannot be read')
  expect(told.map((line) => line.sessionId)).toEqual([sessionId, other])
})
