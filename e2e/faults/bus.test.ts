/** Programs that talk through the built hub: what is bad is answered, and a hub that is killed loses and doubles nothing. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ApiTokenScope, BusMessage } from '@roundhouse/backend-types'
import { FAILPOINTS_VARIABLE } from '@roundhouse/failpoint'
import { createHubClient, type HubClient, HubRest, signIn, Transport } from '@roundhouse/hub-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { HubProcess, owner } from '../support/processes/hub-process'
import { BusProgram } from '../support/wire/bus-program'
import { RawWeb } from '../support/wire/raw-web'

let hub: HubProcess
const folder = freshFolder('bus')
const died = path.join(folder, 'died')
/** While it is there, the hub cannot read messages. */
const unreadable = path.join(folder, 'unreadable')
const open: BusProgram[] = []
/** What the messages of one peer may take. */
const OWN_BYTES = 2 * 1_048_576

interface Peer {
  token: string
  tokenId: string
  peerId: string
  rest: HubRest
}

beforeAll(async () => {
  // It dies once, right after a commit: what was published is stored, and nobody has heard of it.
  const dies = { 'hub.afterCommit.beforeAck': { do: 'kill', at: 8, mark: died } }
  hub = new HubProcess(path.join(folder, 'hub'), {
    [FAILPOINTS_VARIABLE]: JSON.stringify({ ...dies, 'hub.bus.read': { do: 'full', while: unreadable } }),
    ROUNDHOUSE_BUS_BYTES: String(8 * OWN_BYTES),
  })
  await hub.start()
  await hub.makeOwner()
})
afterAll(async () => {
  for (const program of open) program.close()
  await hub.stop()
})

/** Of the owner, unless told. */
async function peer(...scopes: ApiTokenScope[]): Promise<Peer> {
  return peerOf(await hub.client(), scopes)
}

async function peerOf({ rest, close }: HubClient, scopes: ApiTokenScope[]): Promise<Peer> {
  const { password } = owner
  const { token, tokenId } = await rest.makeToken({ name: scopes.join(' '), scopes, ttlDays: 1, password })
  close()
  const headers = () => ({ authorization: `Bearer ${token}` })
  return {
    token,
    tokenId,
    peerId: `p_${tokenId}`,
    rest: new HubRest(new Transport({ baseUrl: hub.url, headers, timeoutMs: 5_000 })),
  }
}

async function enter({ token }: Peer, hello: object = {}): Promise<BusProgram> {
  const program = await BusProgram.open(hub.port, token, hello)
  open.push(program)
  return program
}

let made = 0
const message = (topic: string, schema: string, data: object, more: object = {}) => ({
  topic,
  v: 1,
  id: `m-${++made}`,
  schema,
  data,
  ...more,
})
const words = ({ peerId }: Peer, text: string, more: object = {}) =>
  message(`worker.${peerId}.event`, 'worker-event-v1', { kind: 'LOG', severity: 'info', message: text }, more)

const longWords = { kind: 'LOG', severity: 'info', message: 'See the note.' }

const stateOf = async ({ rest }: Peer, { peerId }: Peer) =>
  (await rest.call('listPeers')).items.find((one) => one.peerId === peerId)?.state

async function replay({ rest }: Peer, pattern = '**'): Promise<BusMessage[]> {
  const all: BusMessage[] = []
  for (let after = 0; ; ) {
    const page = await rest.call('listMessages', { query: { after, pattern, limit: 50 } })
    all.push(...page.items)
    after = page.next
    if (page.isEnd) return all
  }
}

describe('the bus of the built hub', () => {
  it('[BUS-2.5] [BUS-7.5] killed between publish and delivery, again and again: none lost, none doubled, the same order on replay', async () => {
    const [worker, boss] = [await peer('worker'), await peer('orchestrator')]
    let listener: BusProgram | null = null
    const heard: BusMessage[] = []
    let next = 0
    let done = false
    const subscribed = async () => {
      const one = await enter(boss)
      await one.ask('subscribe', { patterns: ['**'], after: next })
      return one
    }
    /** Goes on from where it was, whenever the hub is there. */
    const listening = (async () => {
      while (!done) {
        const at = await until('the hub to take the subscriber', subscribed)
        listener = at
        await until('the link to end', () => done || at.closed, 120_000)
        heard.push(...at.heard)
        next = Math.max(next, at.next)
      }
    })()
    const said = Array.from({ length: 60 }, (_, i) => words(worker, `line ${i}`))
    let deaths = 0
    for (const [i, one] of said.entries()) {
      if (i % 25 === 10) {
        void hub.kill() // while the message is on its way
        deaths += 1
      }
      await until('the message to be taken', async () => {
        const answer = await worker.rest.call('publishMessages', { body: { messages: [one] } }).catch(() => null)
        if (answer?.results[0]?.ok) return true
        if (answer) throw new Error(JSON.stringify(answer))
        await hub.kill()
        deaths += 1
        await hub.start()
        return false
      })
    }
    const newest = Math.max(...(await replay(boss)).map(({ offset }) => offset))
    await until('the subscriber to have all', () => Math.max(next, listener?.next ?? 0) >= newest)
    done = true
    await listening
    const first = await replay(boss)
    expect(await replay(boss)).toEqual(first)
    const lines = first.filter(({ topic }) => topic === `worker.${worker.peerId}.event`)
    expect(lines.map(({ data }) => data.message)).toEqual(said.map((_, i) => `line ${i}`))
    const once = [...new Map(heard.map((one) => [one.offset, one])).values()].sort((a, b) => a.offset - b.offset)
    expect(once.filter(({ offset }) => offset <= newest)).toEqual(first.filter(({ offset }) => offset <= newest))
    expect([deaths > 3, existsSync(died)]).toEqual([true, true])
  })

  it('[BUS-7.5] a subscriber whose read failed gets the rest when the hub can read again, and nobody has to speak for that', async () => {
    const [worker, boss] = [await peer('worker'), await peer('orchestrator')]
    const [program, speaker] = [await enter(boss), await enter(worker)]
    await program.ask('subscribe', { patterns: ['worker.**'] })
    writeFileSync(unreadable, '')
    expect(await speaker.publish(words(worker, 'the last words'))).toEqual(['ok'])
    await until('the read to fail', () => hub.output.includes('a program of the bus could not be served'))
    expect(program.heard).toEqual([])
    rmSync(unreadable)
    await until('the message', () => program.heard.some(({ data }) => data.message === 'the last words'))
    expect((await replay(boss)).at(-1)?.offset).toBe(program.heard.at(-1)?.offset)
  })

  it('[BUS-3.4] [BUS-4] bad input over the socket and over REST is answered with a code, and the peer stays', async () => {
    const [worker, boss] = [await peer('worker'), await peer('orchestrator')]
    const bad: Array<[unknown, string]> = [
      ['text', 'MESSAGE_INVALID'],
      [[], 'MESSAGE_INVALID'],
      [{}, 'MESSAGE_INVALID'],
      [words(boss, 'a foreign topic'), 'TOPIC_FORBIDDEN'],
      [words(worker, 'forged', { from_peer: boss.peerId }), 'TOPIC_FORBIDDEN'],
      [
        message('system.peer.left', 'system-peer-left-v1', { peerId: boss.peerId, role: 'worker', reason: 'clean' }),
        'TOPIC_FORBIDDEN',
      ],
      [message(`cmd.${boss.peerId}.abort`, 'cmd-abort-v1', { reason: 'x' }), 'TOPIC_FORBIDDEN'],
      [message(`worker.${worker.peerId}.event`, 'weather-v1', {}), 'SCHEMA_UNKNOWN'],
      [message(`worker.${worker.peerId}.phase`, 'worker-phase-v2', {}), 'SCHEMA_UNKNOWN'],
      [words(worker, 'x', { ts_published: 'soon' }), 'MESSAGE_INVALID'],
      [words(worker, 'x'.repeat(70_000)), 'MESSAGE_TOO_LARGE'],
      [words(worker, 'the future', { ts_published: '9998-01-01T00:00:00Z' }), 'ok'],
      [words(worker, 'the past', { ts_published: '1970-01-01T00:00:00Z' }), 'ok'],
    ]
    const messages = bad.map(([one]) => one)
    const program = await enter(worker)
    expect(await program.publish(...messages)).toEqual(bad.map(([, code]) => code))
    const { results } = await worker.rest.call('publishMessages', { body: { messages } })
    expect(results.map((result) => (result.ok ? 'ok' : result.error.code))).toEqual(bad.map(([, code]) => code))
    expect(await program.publish(words(worker, 'x'.repeat(990_000)))).toEqual(['MESSAGE_TOO_LARGE'])
    const codeOf = async (event: string, frame: unknown) => (await program.ask(event, frame)).error?.code
    expect([
      await codeOf('subscribe', { patterns: ['***'] }),
      await codeOf('publish', { messages: 'all' }),
      await codeOf('hello', { role: 'king' }),
    ]).toEqual(['MALFORMED_FRAME', 'MALFORMED_FRAME', 'MALFORMED_FRAME'])
    expect(program.closed).toBe(false)
    const told = (await replay(boss, 'system.*.*')).filter(({ data }) =>
      [data.from, data.peerId].includes(worker.peerId),
    )
    expect(told.some(({ topic }) => topic === 'system.malformed.received')).toBe(true)
    expect(told.some(({ topic }) => topic === 'system.gate.fired')).toBe(true)
    expect(JSON.stringify(told)).not.toContain('xxxx')
  })

  it('[BUS-7.2] a person with no machine hears nothing of others with `**`; a token that is taken back hears no more', async () => {
    const [worker, boss] = [await peer('worker'), await peer('orchestrator')]
    const [quiet, program] = [await enter(worker), await enter(boss)]
    await quiet.ask('subscribe', { patterns: ['**'], after: 0 })
    await program.ask('subscribe', { patterns: ['**'] })
    await program.publish(
      words(boss, 'of the orchestrator'),
      message('cmd.role.worker', 'cmd-abort-v1', { reason: 'go' }),
    )
    await until('the command', () => quiet.heard.some(({ topic }) => topic === 'cmd.role.worker'))
    const foreign = quiet.heard.filter(
      ({ topic, from_peer, data }) => topic !== 'cmd.role.worker' && ![from_peer, data.peerId].includes(worker.peerId),
    )
    expect(foreign).toEqual([])
    const { rest, close } = await hub.client()
    await rest.removeToken(boss.tokenId)
    close()
    await until('the socket to end', () => program.closed)
    await expect(boss.rest.call('listPeers')).rejects.toMatchObject({ code: 'AUTH_REQUIRED' })
  })

  it('[BUS-12.5] [BUS-12.6] of two who answer an ask at once one is first, also for whoever answers after the hub was killed', async () => {
    const [worker, ann, ben] = [await peer('worker'), await peer('orchestrator'), await peer('orchestrator')]
    const program = await enter(worker)
    await program.ask('subscribe', { patterns: ['cmd.**'] })
    const options = [
      { id: 'A', label: 'Rewrite' },
      { id: 'B', label: 'Patch' },
    ]
    const asked = { kind: 'REQUEST', severity: 'warn', message: 'Rewrite or patch?', request_id: 'r1', options }
    expect(await program.publish(message(`worker.${worker.peerId}.event`, 'worker-event-v1', asked))).toEqual(['ok'])
    const answer = ({ rest }: Peer, option: string, key: string) => {
      const id = { peerId: worker.peerId, requestId: 'r1' }
      return rest.call('answerAsk', { id, body: { decision: 'approve', option }, key })
    }
    const raced = await Promise.allSettled([answer(ann, 'A', 'answer-of-ann'), answer(ben, 'B', 'answer-of-ben')])
    const first = raced.findIndex(({ status }) => status === 'fulfilled')
    expect(raced.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(raced[1 - first]).toMatchObject({ reason: { code: 'ASK_CLOSED' } })
    await hub.kill()
    await hub.start()
    const chosen = ['A', 'B'][first] ?? ''
    const again = first === 0 ? answer(ann, 'A', 'answer-of-ann') : answer(ben, 'B', 'answer-of-ben')
    expect(await again).toMatchObject({ state: 'closed', answer: { option: { id: chosen } } })
    await expect(answer(ann, 'B', 'answer-too-late')).rejects.toMatchObject({
      code: 'ASK_CLOSED',
      details: { answer: { option: { id: chosen } } },
    })
    const told = (await replay(worker)).filter(({ topic }) => topic === `cmd.${worker.peerId}.approve`)
    expect(told.map(({ data }) => [data.correlation_id, data.chosen])).toEqual([['r1', chosen]])
  })

  it('[BUS-8.10] a peer that connects and breaks again and again fills no table, and the list says whether it is here', async () => {
    const [flapping, boss] = [await peer('worker'), await peer('orchestrator')]
    for (let i = 0; i < 40; i += 1) {
      const program = await BusProgram.open(hub.port, flapping.token)
      program.close()
      await until('it to have left', async () => (await stateOf(boss, flapping)) === 'left')
    }
    const rows = (await replay(boss, 'system.peer.*')).filter(({ data }) => data.peerId === flapping.peerId)
    expect(rows.map(({ topic }) => topic)).toEqual(
      Array.from({ length: 10 }, () => ['system.peer.joined', 'system.peer.left']).flat(),
    )
    await enter(flapping)
    expect(await stateOf(boss, flapping)).toBe('here')
  })

  it('[BUS-5.5] one that has said as much as it may is refused with a code, also by the next hub; another one is heard, and it can be told to end', async () => {
    const [loud, boss] = [await peer('worker'), await peer('orchestrator')]
    const note = 'x'.repeat(60_000)
    const long = () => message(`worker.${loud.peerId}.event`, 'worker-event-v1', { ...longWords, note })
    const program = await enter(loud)
    const codes: unknown[] = []
    while (!codes.includes('BUS_FULL') && !codes.includes('CLOSED'))
      codes.push(...(await program.publish(long(), long(), long(), long())))
    expect(codes.indexOf('BUS_FULL')).toBe(Math.floor(OWN_BYTES / 60_600))
    await hub.kill()
    await hub.start()
    const again = await enter(loud)
    expect(await again.publish(long(), words(loud, 'a short one'))).toEqual(['BUS_FULL', 'ok'])
    const orders = await enter(boss)
    expect(await orders.publish(message(`cmd.${loud.peerId}.abort`, 'cmd-abort-v1', { reason: 'Enough.' }))).toEqual([
      'ok',
    ])
  })

  it('[BUS-5] one that floods is told and named; another publishes meanwhile as before', async () => {
    const [loud, calm, boss] = [await peer('worker'), await peer('worker'), await peer('orchestrator')]
    const [flooding, other] = [await enter(loud), await enter(calm)]
    const flood = Promise.all(
      Array.from({ length: 10 }, () => flooding.publish(...Array.from({ length: 100 }, () => words(loud, 'more')))),
    )
    expect(await other.publish(words(calm, 'I am calm'))).toEqual(['ok'])
    const codes = (await flood).flat()
    expect(codes).toContain('RATE_LIMITED')
    expect(codes.filter((code) => code === 'ok').length).toBeGreaterThanOrEqual(250)
    expect(flooding.closed).toBe(false)
    const named = await replay(boss, 'system.throttled')
    expect(new Set(named.map(({ data }) => data.peerId))).toEqual(new Set([loud.peerId]))
  })

  it('[BUS-5.5] a person with many programs is refused at half of all; the programs of another person are heard', async () => {
    const web = new RawWeb(hub)
    await web.asOwner()
    const other = await signIn(hub.url, await web.addPerson('cleo', 'operator'), owner.password)
    const hers = await peerOf(createHubClient(other), ['worker'])
    const note = 'x'.repeat(60_000)
    const fills = async (one: Peer) => {
      const long = () => message(`worker.${one.peerId}.event`, 'worker-event-v1', { ...longWords, note })
      const program = await enter(one)
      const codes: string[] = []
      while (!codes.includes('BUS_FULL') && !codes.includes('CLOSED'))
        codes.push(...(await program.publish(long(), long(), long(), long())))
      return codes.indexOf('BUS_FULL')
    }
    const whole = Math.floor(OWN_BYTES / 60_600)
    const taken: number[] = []
    while (taken.length < 5 && (taken.at(-1) ?? whole) === whole) taken.push(await fills(await peer('worker')))
    expect(taken.at(-1)).toBeLessThan(whole)
    expect(await fills(hers)).toBe(whole)
  })
})
