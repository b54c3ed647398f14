/** `/events`: what a program says and hears on its socket. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { heard, log, message, type Program, person, program } from '../testing/bus-program'
import { BusSocket } from '../testing/bus-socket'
import { TestHub } from '../testing/test-hub'
import { backlogOf, QUEUE_BYTES } from './people/socket-backlog'

describe('a program on its socket', () => {
  let hub: TestHub
  let worker: Program
  let boss: Program
  const open: BusSocket[] = []
  beforeEach(async () => {
    hub = await TestHub.start()
    await person(hub, 'cleo', 'operator')
    worker = await program(hub, 'cleo', 'worker')
    boss = await program(hub, 'cleo', 'orchestrator')
  })
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.close()
    await hub.stop()
  })

  const enter = async ({ token }: Program, hello: object = {}) => {
    const socket = await BusSocket.open(hub.url, token, hello)
    open.push(socket)
    return socket
  }
  const publish = (socket: BusSocket, ...messages: unknown[]) => socket.ask('publish', { messages })
  const codesOf = (reply: Awaited<ReturnType<typeof publish>>) =>
    (reply.results as { ok: boolean; error?: { code: string } }[]).map(({ ok, error }) => (ok ? 'ok' : error?.code))

  it('[BUS-8] says hello, is named, and hears what it asks for from an offset on, in order', async () => {
    await worker.publish(log(worker.peerId, 'early'))
    const socket = await enter(boss, { name: 'conductor' })
    expect(await socket.ask('subscribe', { patterns: ['worker.**', 'system.**'], after: 0 })).toMatchObject({
      ok: true,
      after: 0,
    })
    const other = await enter(worker)
    await publish(other, log(worker.peerId, 'one'), log(worker.peerId, 'two'))
    await socket.until(() => heard(socket.heard).some((line) => line.endsWith('two')))
    expect(heard(socket.heard)).toEqual([
      'system.peer.joined',
      `worker.${worker.peerId}.event early`,
      'system.peer.joined',
      `worker.${worker.peerId}.event one`,
      `worker.${worker.peerId}.event two`,
    ])
    const { data, ts_server } = socket.heard[2] ?? {}
    expect(data).toEqual({
      peerId: boss.peerId,
      role: 'orchestrator',
      peerName: 'cleo (orchestrator: conductor)',
      ts: ts_server,
    })
    expect(socket.heard.map(({ offset }) => offset)).toEqual([1, 2, 3, 4, 5])
  })

  it('[BUS-7] without an offset hears what is new, and another subscription takes the place of the first', async () => {
    await worker.publish(log(worker.peerId, 'early'))
    const socket = await enter(boss)
    await socket.ask('subscribe', { patterns: ['worker.**'] })
    await socket.ask('subscribe', { patterns: ['cmd.**'] })
    await worker.publish(log(worker.peerId, 'not asked for'))
    await boss.publish(message(`cmd.${worker.peerId}.pause`, 'cmd-pause-v1', {}))
    await socket.until(() => socket.heard.length > 0)
    expect(heard(socket.heard)).toEqual([`cmd.${worker.peerId}.pause`])
  })

  it('[BUS-7] a worker with `**` hears what concerns it, and nothing else', async () => {
    const other = await program(hub, 'cleo', 'worker')
    const socket = await enter(worker)
    await socket.ask('subscribe', { patterns: ['**'] })
    await other.publish(log(other.peerId, 'of another'))
    await boss.publish(message(`cmd.${other.peerId}.pause`, 'cmd-pause-v1', {}))
    await boss.publish(message(`cmd.${worker.peerId}.resume`, 'cmd-resume-v1', {}))
    await socket.until(() => socket.heard.length > 0)
    expect(heard(socket.heard)).toEqual([`cmd.${worker.peerId}.resume`])
  })

  it('[BUS-3] bad frames and bad messages are answered with a code, and it stays connected', async () => {
    const socket = await enter(worker)
    const refused = async (event: string, frame: unknown) => (await socket.ask(event, frame)).error?.code
    expect([
      await refused('subscribe', { patterns: ['(a+)+'] }),
      await refused('subscribe', { patterns: Array.from({ length: 33 }, () => '**') }),
      await refused('subscribe', { patterns: ['**'], after: -1 }),
      await refused('publish', { messages: [] }),
      await refused('publish', { messages: Array.from({ length: 257 }, () => 1) }),
      await refused('publish', 'text'),
      await refused('hello', {}),
    ]).toEqual([...Array.from({ length: 6 }, () => 'MALFORMED_FRAME'), 'INVALID_ARGUMENT'])
    const reply = await publish(
      socket,
      null,
      log(worker.peerId, 'x'.repeat(900_000)),
      { ...log(worker.peerId, 'x'), from_peer: boss.peerId },
      log(worker.peerId, 'far', { ts_published: '9998-01-01T00:00:00Z' }),
      log(worker.peerId, 'no time', { ts_published: 'tomorrow' }),
    )
    expect(codesOf(reply)).toEqual(['MESSAGE_INVALID', 'MESSAGE_TOO_LARGE', 'TOPIC_FORBIDDEN', 'ok', 'MESSAGE_INVALID'])
    expect(socket.ended).toBeNull()
  })

  it('[BUS-8] says nothing before hello, and nobody enters without a right to speak', async () => {
    const socket = new BusSocket(hub.url, worker.token)
    open.push(socket)
    await socket.until(() => socket.socket.connected)
    expect((await publish(socket, log(worker.peerId, 'x'))).error?.code).toBe('FORBIDDEN')
    expect((await socket.ask('subscribe', { patterns: ['**'] })).error?.code).toBe('FORBIDDEN')
    expect((await socket.ask('hello', { role: 'orchestrator' })).error?.code).toBe('FORBIDDEN')
    const reader = await enter(await program(hub, 'cleo', 'read'))
    expect((await reader.ask('publish', { messages: [1] })).error?.code).toBe('FORBIDDEN')
    await expect(BusSocket.open(hub.url, `rht_${'x'.repeat(61)}`)).rejects.toThrow('AUTH_REQUIRED')
  })

  it('[BUS-8.11] one token has at most 16 connections at once; the others stay, and other programs enter', async () => {
    const sockets: BusSocket[] = []
    for (let i = 0; i < 16; i++) sockets.push(await enter(worker))
    await expect(BusSocket.open(hub.url, worker.token)).rejects.toThrow('RATE_LIMITED')
    expect(codesOf(await publish(sockets[0] as BusSocket, log(worker.peerId, 'still here')))).toEqual(['ok'])
    await enter(boss)
    sockets[1]?.close()
    await expect.poll(() => enter(worker).then(() => 'entered', String)).toBe('entered')
  })

  it('[BUS-5.6] a connection that floods is answered and stays, and another program is served beside it', async () => {
    const [flooder, other] = [await enter(worker), await enter(boss)]
    const batches = Array.from({ length: 16 }, (_, i) =>
      publish(flooder, ...Array.from({ length: 250 }, (_, n) => log(worker.peerId, `flood ${i} ${n}`))),
    )
    expect(codesOf(await publish(other, message(`cmd.${worker.peerId}.pause`, 'cmd-pause-v1', {})))).toEqual(['ok'])
    const codes = (await Promise.all(batches)).flatMap(codesOf)
    expect([codes.length, new Set(codes)]).toEqual([4_000, new Set(['ok', 'RATE_LIMITED'])])
    expect([flooder.ended, other.ended]).toEqual([null, null])
  })

  it('[AUTH-1] a token that is taken back in the middle hears and says nothing more', async () => {
    const socket = await enter(worker)
    await socket.ask('subscribe', { patterns: ['**'] })
    await worker.end()
    await boss.publish(message(`cmd.${worker.peerId}.pause`, 'cmd-pause-v1', {}))
    await socket.until(() => socket.ended !== null)
    expect(socket.heard).toEqual([])
  })

  it('[BUS-8] leaves clean, or as a crash, once its last connection is gone', async () => {
    const left = async (count: number) => {
      await expect.poll(async () => (await boss.read('system.peer.left')).length).toBe(count)
      const { reason, ...data } = (await boss.read('system.peer.left')).at(-1)?.data ?? {}
      expect(data).toEqual({ peerId: worker.peerId, role: 'worker' })
      return reason
    }
    const [first, second] = [await enter(worker), await enter(worker)]
    first.close()
    second.break()
    expect(await left(1)).toBe('crash')
    const third = await enter(worker)
    third.close()
    expect(await left(2)).toBe('clean')
    const fourth = await enter(worker)
    await fourth.ask('bye', {})
    fourth.break()
    expect(await left(3)).toBe('clean')
    expect(await boss.read('system.peer.joined')).toHaveLength(3)
  })

  it('[BUS-14.2] may not call itself like the hub, says hello under another name, and is shown with its person', async () => {
    const socket = new BusSocket(hub.url, worker.token)
    open.push(socket)
    await socket.until(() => socket.socket.connected)
    expect((await socket.ask('hello', { name: 'Roundhouse' })).error?.code).toBe('NAME_NOT_ALLOWED')
    expect(await boss.read('system.peer.joined')).toEqual([])
    const name = 'cleo (worker: dan)'
    expect(await socket.ask('hello', { name: 'dan' })).toMatchObject({ name })
    await publish(socket, log(worker.peerId, 'hello'))
    const { items } = await hub.core.bus.peers(boss.actor)
    expect([items[0]?.name, (await boss.read('worker.**'))[0]?.from_name]).toEqual([name, name])
  })

  it('[BUS-8.4] each frame is a sign of life, whatever it asks', async () => {
    await hub.stop()
    let now = 1_795_000_000_000
    hub = await TestHub.start({ now: () => now })
    await person(hub, 'cleo', 'operator')
    worker = await program(hub, 'cleo', 'worker')
    const socket = await enter(worker)
    const state = async () => (await hub.core.bus.peers(worker.actor)).items.map((peer) => peer.state)
    const beat = { current_phase: 'PLAN', time_in_phase_ms: 1, tokens_used: 1, cost_usd: 0 }
    await hub.core.tick()
    await publish(socket, message(`worker.${worker.peerId}.heartbeat`, 'worker-heartbeat-v1', beat))
    now += 30_001
    await hub.core.tick()
    expect(await state()).toEqual(['stale'])
    await socket.ask('subscribe', { patterns: ['**'] })
    expect(await state()).toEqual(['here'])
  })

  it('[BUS-8.4] one that never sent a heartbeat is here as long as its connection, and one without a connection is not', async () => {
    await hub.stop()
    let now = 1_795_000_000_000
    hub = await TestHub.start({ now: () => now })
    await person(hub, 'cleo', 'operator')
    worker = await program(hub, 'cleo', 'worker')
    boss = await program(hub, 'cleo', 'orchestrator')
    const listener = await enter(worker)
    await listener.ask('subscribe', { patterns: ['**'] })
    await boss.publish(message(`cmd.${worker.peerId}.pause`, 'cmd-pause-v1', {}))
    const seen = async () =>
      Object.fromEntries(
        (await hub.core.bus.peers(boss.actor)).items.map((peer) => [
          peer.peerId,
          [peer.state, peer.connected ?? false],
        ]),
      )
    await hub.core.tick()
    expect(await seen()).toEqual({ [worker.peerId]: ['here', true], [boss.peerId]: ['here', false] })
    for (let i = 0; i < 40; i += 1) {
      now += 1_000
      await hub.core.tick()
    }
    expect(await seen()).toEqual({ [worker.peerId]: ['here', true], [boss.peerId]: ['stale', false] })
    expect((await boss.read('system.peer.stale')).map(({ data }) => data.peerId)).toEqual([boss.peerId])
  })

  it('[BUS-8] is not said to have left when the hub goes', async () => {
    await enter(worker)
    await hub.crash()
    const again = await TestHub.start({ file: hub.store.file })
    const { items } = await again.core.bus.page(boss.actor, { after: 0, pattern: 'system.**', limit: 10 })
    expect(heard(items)).toEqual(['system.peer.joined'])
    await again.crash()
    await again.store.close()
  })

  it('[BUS-7] a subscriber that reads nothing slows nobody, and gets the rest in order when it reads again', async () => {
    const [slow, quick] = [await enter(boss), await enter(boss)]
    await slow.ask('subscribe', { patterns: ['worker.**'] })
    await quick.ask('subscribe', { patterns: ['worker.**'] })
    const raw = (
      slow.socket.io.engine as unknown as { transport: { ws: { _socket: { pause(): void; resume(): void } } } }
    ).transport.ws._socket
    raw.pause()
    for (let i = 0; i < 60; i += 1)
      await worker.publish(...Array.from({ length: 3 }, (_, k) => bulky(worker.peerId, 3 * i + k)))
    await quick.until(() => quick.heard.length === 180)
    expect(slow.heard.length).toBeLessThan(180)
    const waiting = [...hub.gateway.io.of('/events').sockets.values()].map((socket) => backlogOf(socket).bytes)
    expect(Math.max(...waiting)).toBeLessThan(2 * QUEUE_BYTES)
    raw.resume()
    await slow.until(() => slow.heard.length === 180)
    expect(slow.heard.map(({ offset }) => offset)).toEqual(quick.heard.map(({ offset }) => offset))
  })

  const bulky = (peerId: string, n: number) =>
    message(`worker.${peerId}.event`, 'worker-event-v1', {
      kind: 'LOG',
      severity: 'info',
      message: `${n}`,
      data: { text: 'x'.repeat(60_000) },
    })
})
