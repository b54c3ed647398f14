/** Sessions that say more than they may: what their hosts refuse, and what the built hub keeps. */
import type { BusMessage } from '@roundhouse/backend-types'
import { HubRest, Transport } from '@roundhouse/hub-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { owner } from '../support/processes/hub-process'
import { PlayedLogs } from '../support/rigs/played-logs'
import { PlayedMachine } from '../support/rigs/played-machine'
import { type Rig, startRig } from '../support/rigs/rig'
import { Subject } from '../support/rigs/subject'
import { RawWeb } from '../support/wire/raw-web'
import { ToolCaller, type ToolReply, toolsOf } from '../support/wire/tool-caller'

const MIB = 1_048_576
/** Half of the smallest room that a bus may have. */
const ROOM_OF_SESSIONS = MIB / 2
let rig: Rig
/** Two sessions in the middle of a turn. */
let deafened: Subject
let loud: Subject

beforeAll(async () => {
  rig = await startRig({ hubEnv: { ROUNDHOUSE_BUS_BYTES: String(2 * ROOM_OF_SESSIONS) } })
  ;[deafened, loud] = (await Promise.all([inTurn('deafened'), inTurn('loud')])) as [Subject, Subject]
})
afterAll(() => rig.dispose())

async function inTurn(name: string): Promise<Subject> {
  const asks = { tool: 'Write', input: { file_path: `${name}.txt`, content: 'x' } }
  const session = new Subject(rig, await rig.begin([asks, { text: 'Done.' }]))
  await session.openAsk()
  return session
}

const callerOf = (session: Subject) => ToolCaller.open(toolsOf(session.pids.backendPid ?? 0))

describe('[BUS-5.8] sessions on a bus with little room', () => {
  const NOTE = 'x'.repeat(30_000)
  const sizeOf = ({ data }: BusMessage) => 500 + Buffer.byteLength(JSON.stringify(data))

  async function read(pattern: string): Promise<BusMessage[]> {
    const all: BusMessage[] = []
    for (let after = 0; ; ) {
      const page = await rig.rest.call('listMessages', { query: { after, pattern } })
      all.push(...page.items)
      after = page.next
      if (page.isEnd) return all
    }
  }

  it('keep half of it: of the one that says most the oldest are gone, the others have theirs, and who publishes is heard', async () => {
    const web = new RawWeb(rig.system.hub)
    const machine = await PlayedMachine.join(web, (await rig.rest.makeEnrollmentToken({})).token)
    const logs = new PlayedLogs(machine)
    const settings = { backend: 'scripted', workDir: '/code' }
    const begun = async () => {
      const { sessionId } = await rig.rest.createSession({ agentId: machine.agentId, settings })
      await logs.begin(sessionId)
      return sessionId
    }
    const said = (sessionId: string, message: string, note: string) => ({
      ...{ kind: 'published', id: `${sessionId}-${message}`, topic: `worker.${sessionId}.event` },
      ...{ schema: 'worker-event-v1', data: { kind: 'LOG', severity: 'info', message, note } },
    })
    const [quiet, flooding] = [await begun(), await begun()]
    const names = (count: number) => Array.from({ length: count }, (_, i) => `m${i}`)
    await logs.write(quiet, ...names(4).map((name) => said(quiet, name, NOTE)))
    const all = [...names(40), 'last']
    for (let i = 0; i < all.length; i += 10)
      await logs.write(flooding, ...all.slice(i, i + 10).map((name) => said(flooding, name, NOTE)))

    const ofSessions = async () => (await read('worker.**')).filter(({ from_peer }) => from_peer.startsWith('ses_'))
    const ofOne = (messages: readonly BusMessage[], sessionId: string) =>
      messages.filter(({ topic }) => topic === `worker.${sessionId}.event`).map(({ data }) => data.message)
    const bytes = (messages: readonly BusMessage[]) => messages.reduce((sum, one) => sum + sizeOf(one), 0)
    const kept = await until('the bus to have the last one, and to be small again', async () => {
      const messages = await ofSessions()
      return ofOne(messages, flooding).includes('last') && bytes(messages) <= ROOM_OF_SESSIONS && messages
    })
    const left = ofOne(kept, flooding)
    expect(left).toEqual(all.slice(-left.length))
    // No more is gone than had to be.
    expect(bytes(kept)).toBeGreaterThan(ROOM_OF_SESSIONS - 2 * NOTE.length)
    expect(ofOne(kept, quiet)).toEqual(names(4))
    expect(rig.stored(flooding)).toBe(1 + all.length)

    const { password } = owner
    const { token, tokenId } = await rig.rest.makeToken({ name: 'w', scopes: ['worker'], ttlDays: 1, password })
    const headers = () => ({ authorization: `Bearer ${token}` })
    const worker = new HubRest(new Transport({ baseUrl: rig.system.hub.url, headers }))
    const data = { kind: 'LOG', severity: 'info', message: 'Heard.' }
    const word = { v: 1, id: 'w1', topic: `worker.p_${tokenId}.event`, schema: 'worker-event-v1', data } as const
    expect(await worker.publish([word])).toMatchObject({ results: [{ ok: true }] })
    machine.close()
  })
})

describe('a program of a session', () => {
  it('[TOOL-1.5] that reads no answers is read from no more; others of its session are heard, it has each answer once it reads, and nothing stays of one that dies', async () => {
    const CALLS = 20_000
    const input = { text: 'x'.repeat(200) }
    const [deaf, dying] = [await callerOf(deafened), await callerOf(deafened)]
    for (const { socket } of [deaf, dying]) socket.pause()
    const replies = Array.from({ length: CALLS }, () => deaf.call('no_such_tool', input))
    for (let i = 0; i < CALLS; i += 1) void dying.call('no_such_tool', input)
    const sent = deaf.socket.writableLength
    const other = await callerOf(deafened)
    for (let i = 0; i < 300; i += 1) await other.call('no_such_tool')
    // Without a limit the host would have had all of it meanwhile: it reads a part of each caller in turn.
    for (const { socket } of [deaf, dying]) expect(socket.writableLength).toBeGreaterThan(sent / 4)
    const event = { kind: 'LOG', message: 'Heard beside it.' }
    expect(await other.call('publish_event', event)).toMatchObject({ ok: true })
    dying.close()
    deaf.socket.resume()
    const codes = (await Promise.all(replies)).map(({ error }) => error?.code)
    expect(codes.filter((code) => code !== 'NOT_FOUND' && code !== 'RATE_LIMITED')).toEqual([])
    await deafened.allow()
    await until('the turn to end', () => deafened.says('Done.'))
    expect(await other.call('publish_event', event)).toMatchObject({ ok: true })
    expect(deafened.of('published').map(({ data }) => data.message)).toEqual([event.message, event.message])
    for (const caller of [deaf, other]) caller.close()
  })

  it('[BUS-5.7] publishes 4 MiB at once and then 1 MiB a second, over all its connections; the rest is refused with the time to wait, is nowhere, and no phase of it counts', async () => {
    const callers = await Promise.all([callerOf(loud), callerOf(loud), callerOf(loud)])
    const [caller] = callers as [ToolCaller, ...ToolCaller[]]
    const text = 'x'.repeat(30_000)
    const burst = (of: ToolCaller, count: number, text: string) =>
      Array.from({ length: count }, () => of.call('publish_event', { kind: 'LOG', message: 'x', data: { text } }))
    const taken: ToolReply[] = []
    const refused: ToolReply[] = []
    const sort = (replies: readonly ToolReply[]) => {
      for (const reply of replies) (reply.ok ? taken : refused).push(reply)
    }
    const began = performance.now()
    while (refused.length === 0) sort(await Promise.all(callers.flatMap((one) => burst(one, 20, text))))
    const seconds = (performance.now() - began) / 1_000
    expect(taken.length * text.length).toBeLessThanOrEqual((4 + seconds) * MIB)
    expect(taken.length * text.length).toBeGreaterThan(3 * MIB)

    // On one connection, so the long move comes right behind shorter messages that use up the pace.
    const flood = [...burst(caller, 50, text), ...burst(caller, 10, text.slice(0, 3_000))]
    const moved = caller.call('publish_phase', { phase: 'SPAWN', metadata: { text: text + text } })
    sort(await Promise.all(flood))
    for (const { error } of [...refused, await moved])
      expect(error).toMatchObject({
        code: 'RATE_LIMITED',
        message: expect.stringMatching(/Try again in \d+(\.\d)? s\./),
        details: { bytesPerSecond: MIB, retryAfterMs: expect.any(Number) },
      })
    const move = await until('the pace to have room for a short move', async () => {
      const reply = await caller.call('publish_phase', { phase: 'SPAWN' })
      return reply.error?.code !== 'RATE_LIMITED' && reply
    })
    expect(move).toMatchObject({ ok: true })
    const published = loud.of('published')
    expect(published.at(-1)?.data).toMatchObject({ phase: 'SPAWN', prev: 'PLAN', phases_completed: ['PLAN', 'SPAWN'] })
    expect(published).toHaveLength(taken.length + 1)
    for (const one of callers) one.close()
    await loud.allow()
    expect((await rig.agree(loud.sessionId)).length).toBeGreaterThan(published.length)
  })
})
