/**
 * The dialogue of the convention's section 14, on two machines that share nothing: Claude Code is worker A, and another one on the
 * second machine has a question under the same id. The orchestrator is a program with a token. The hub
 * is killed with -9 between the REQUEST and its answer, and again right after it.
 */
import type { BusMessage } from '@roundhouse/backend-types'
import { HubRest, Transport } from '@roundhouse/hub-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { AgentProcess } from '../support/processes/agent-process'
import { missingReason, type Surroundings, surround } from '../support/processes/backends'
import { owner } from '../support/processes/hub-process'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { BusProgram } from '../support/wire/bus-program'

const missing = await missingReason('claude')
const mcp = (name: string, input: object) => ({ tool: `mcp__roundhouse__${name}`, input })
const phase = (name: string) => mcp('publish_phase', { phase: name })
const asks = (message: string) =>
  mcp('ask_orchestrator', {
    message,
    request_id: 'r1',
    options: [
      { id: 'A', label: 'rewrite' },
      { id: 'B', label: 'patch' },
    ],
  })

describe.skipIf(missing !== null)('[BUS-2] [BUS-7.5] [TOOL-4.1] the dialogue of section 14', () => {
  let rig: Rig
  let second: { agent: AgentProcess; around: Surroundings }
  let boss: { rest: HubRest; peerId: string; token: string }
  const open = new Set<BusProgram>()
  const listening: Promise<void>[] = []
  let isOver = false

  beforeAll(async () => {
    rig = await startRig({ kind: 'claude' })
    const { hub } = rig.system
    const around = await surround('claude')
    const agent = new AgentProcess(freshFolder('second'), around.env)
    second = { agent, around }
    agent.writePolicy({
      roots: [around.workDir],
      envAllow: around.envAllow,
      backends: { claude: { path: around.path } },
    })
    const ticket = await rig.rest.makeEnrollmentToken({ name: 'second machine' })
    await agent.join(hub, 'second machine', {
      token: ticket.token,
      fingerprint: ticket.hubKeyFingerprint,
      url: ticket.hubUrl,
    })
    await agent.start()
    const scopes = ['orchestrator'] as const
    const made = await rig.rest.makeToken({ name: 'boss', scopes: [...scopes], ttlDays: 1, password: owner.password })
    const headers = () => ({ authorization: `Bearer ${made.token}` })
    boss = {
      rest: new HubRest(new Transport({ baseUrl: hub.url, headers, timeoutMs: 5_000 })),
      peerId: `p_${made.tokenId}`,
      token: made.token,
    }
  })
  afterAll(async () => {
    isOver = true
    await Promise.all(listening)
    for (const program of open) program.close()
    await second.agent.stop()
    await second.around.dispose()
    await rig.dispose()
  })

  /** What a subscriber of `/events` hears that begins after this offset, and goes on after its last one whenever the hub is there. */
  function subscribe(after: number): BusMessage[] {
    const heard: BusMessage[] = []
    let next = after
    const take = (program: BusProgram) => {
      heard.push(...program.heard.splice(0))
      next = Math.max(next, program.next)
    }
    const listen = async () => {
      const program = await BusProgram.open(rig.system.hub.port, boss.token).catch(() => null)
      if (!program) return
      open.add(program)
      if ((await program.ask('subscribe', { patterns: ['**'], after: next })).ok)
        await until(
          'the link to end',
          () => {
            take(program)
            return program.closed || isOver
          },
          180_000,
        )
      take(program)
      open.delete(program)
    }
    const listens = async () => {
      while (!isOver) await listen().then(() => until('a moment', () => true))
    }
    listening.push(listens())
    return heard
  }

  async function replay(): Promise<BusMessage[]> {
    const all: BusMessage[] = []
    for (let after = 0; ; ) {
      const page = await boss.rest.call('listMessages', { query: { after, pattern: '**', limit: 7 } })
      all.push(...page.items)
      after = page.next
      if (page.isEnd) return all
    }
  }

  const answer = (worker: string, name: 'approve' | 'reject', data: object) => ({
    v: 1,
    id: `${name}-${worker}`,
    topic: `cmd.${worker}.${name}`,
    schema: `cmd-${name}-v1`,
    data: { correlation_id: 'r1', ...data },
  })
  /** Until the hub says that it has it, under one id. */
  const say = (message: object) =>
    until('the hub to have it', async () => {
      const said = await boss.rest.call('publishMessages', { body: { messages: [message] } }).catch(() => null)
      if (said && !said.results[0]?.ok) throw new Error(JSON.stringify(said))
      return said !== null
    })

  it('is replayed once and in the same order, to a subscriber that was there and to one that comes later', async () => {
    const { hub } = rig.system
    const { items } = await rig.rest.agents()
    const machine = (isSecond: boolean) =>
      items.find(({ name }) => (name === 'second machine') === isSecond)?.agentId ?? ''
    const heard = subscribe(0)
    const begins = async (agentId: string, workDir: string, title: string, steps: object[]) =>
      (
        await rig.rest.createSession({
          agentId,
          title,
          settings: { backend: 'claude', workDir },
          prompt: scriptOf(steps),
        })
      ).sessionId
    const a = await begins(machine(false), rig.system.workDir, 'audit-A', [
      phase('SPAWN'),
      phase('DEPLOY'),
      asks('server.ts:380: should I rewrite the handler or patch it?'),
      phase('OBSERVE'),
      mcp('publish_event', {
        kind: 'HARVEST',
        message: 'audit done',
        data: { artifacts: [{ path: '/code/audit.md' }] },
      }),
      ...['HARVEST', 'CLEANUP', 'REFLECT'].map(phase),
      mcp('complete', { summary: 'Audited.', artifacts: [{ path: '/code/audit.md' }] }),
      { text: 'Done.' },
    ])
    const b = await begins(machine(true), second.around.workDir, 'audit-B', [
      asks('May I delete it?'),
      mcp('publish_event', { kind: 'LOG', message: 'then not' }),
      { text: 'Left alone.' },
    ])
    const asked = (worker: string) =>
      heard.some(({ topic, data }) => topic === `worker.${worker}.event` && data.kind === 'REQUEST')
    await until('both to ask', () => asked(a) && asked(b), 60_000)
    await hub.kill()
    await hub.start()
    await say(answer(a, 'approve', { chosen: 'B' }))
    await hub.kill()
    await hub.start()
    await say(answer(a, 'approve', { chosen: 'B' })) // as one does who saw no answer
    const words = (worker: string) =>
      heard
        .filter(({ topic }) => topic.startsWith(`worker.${worker}.`))
        .map(({ topic, data }) => `${topic.split('.')[2]} ${data.phase ?? data.kind ?? ''}`.trim())
    await until('A to complete', () => words(a).includes('complete'), 60_000)
    // The answer to A answered no other worker that asked under the same id.
    expect(words(b)).toEqual(['boot', 'event REQUEST'])
    await say(answer(b, 'reject', { reason: 'keep it' }))
    await until('B to go on', () => words(b).includes('event LOG'), 60_000)

    await rig.rest.stop(a)
    await rig.rest.stop(b)
    const left = () =>
      heard.filter(({ topic }) => topic === 'system.peer.left').map(({ data }) => [data.peerId, data.reason])
    await until('both to have left', () => left().length >= 2)
    expect(words(a)).toEqual([
      'boot',
      'phase SPAWN',
      'phase DEPLOY',
      'event REQUEST',
      'phase OBSERVE',
      'event HARVEST',
      'phase HARVEST',
      'phase CLEANUP',
      'phase REFLECT',
      'complete',
    ])
    expect(
      left()
        .filter(([peerId]) => peerId !== boss.peerId)
        .sort(),
    ).toEqual([a, b].sort().map((id) => [id, 'clean']))
    const commands = heard.filter(({ topic }) => topic.startsWith('cmd.'))
    expect(commands.map(({ topic, from_peer }) => [topic, from_peer])).toEqual([
      [`cmd.${a}.approve`, boss.peerId],
      [`cmd.${b}.reject`, boss.peerId],
    ])
    const requests = heard.filter(({ data }) => data.kind === 'REQUEST')
    expect(requests.map(({ data }) => data.request_id)).toEqual(['r1', 'r1'])
    // Nobody was asked for a permission, and none was decided.
    const { requests: permissions } = (await rig.rest.snapshot(a)).session
    expect(permissions).toEqual([])

    const all = await replay()
    const newest = all.at(-1)?.offset ?? 0
    await until('all to be heard', () => (heard.at(-1)?.offset ?? 0) >= newest)
    const fresh = subscribe(0)
    await until('all to be heard again', () => (fresh.at(-1)?.offset ?? 0) >= newest)
    const upTo = (messages: BusMessage[]) => messages.filter(({ offset }) => offset <= newest)
    expect(upTo(heard)).toEqual(all)
    expect(upTo(fresh)).toEqual(all)
    expect(await replay()).toEqual(all)
    expect(new Set(all.map(({ from_peer, id }) => `${from_peer} ${id}`)).size).toBe(all.length)
    await rig.agree(a)
  }, 180_000)
})
