import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { parseEventBody, type SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostRecord } from '../host-contract/launch-spec'
import { sessionFiles } from '../host-contract/paths'
import { PauseSwitch } from '../policy/pause'
import { AgentBench } from '../testing/agent-bench'
import { FakeHub } from '../testing/fake-hub'
import { sessionName } from '../testing/session-name'
import { variation, wholeMatrix } from '../testing/variation'
import type { Daemon } from './daemon'

const s1 = sessionName('s1')
const s2 = sessionName('s2')

let hub: FakeHub
let bench: AgentBench
let daemons: Daemon[]

beforeEach(async () => {
  hub = new FakeHub()
  await hub.start()
  bench = new AgentBench(hub)
  daemons = []
})
afterEach(async () => {
  for (const daemon of daemons) await daemon.endSessions(5_000)
  await hub.stop()
  await bench.dispose()
})

const start = async (fields: Parameters<AgentBench['daemon']>[0] = {}) => {
  const before = hub.hellos.length
  const daemon = await bench.daemon(fields)
  daemons.push(daemon)
  await hub.until(() => hub.hellos.length > before && hub.ready)
  return daemon
}
/** The test's own way of a daemon that is gone while its hosts live. */
const leave = async (daemon: Daemon) => {
  daemons = daemons.filter((one) => one !== daemon)
  await daemon.leave()
}
const eventsOf = (sessionId: string) =>
  (hub.sessions.get(sessionId) ?? []).flatMap(({ body }) => (parseEventBody(body) as SessionEvent | null) ?? [])
const kindsOf = (sessionId: string) => eventsOf(sessionId).map(({ kind }) => kind)
const has = (sessionId: string, kind: SessionEvent['kind'], count = 1) =>
  hub.until(() => kindsOf(sessionId).filter((one) => one === kind).length >= count)
const say = (text: string) => script([{ text }])
const pause = {
  pause: () => new PauseSwitch(bench.home.pauseFile).pause(),
  resume: () => new PauseSwitch(bench.home.pauseFile).resume(),
}
const recordOf = (sessionId: string) =>
  HostRecord.parse(JSON.parse(readFileSync(sessionFiles(path.join(bench.home.sessions, sessionId)).host, 'utf8')))

describe('a session', () => {
  it('[SES-2] [SES-3.2] is created, answers its first prompt, all of it is at the hub, and it is erased when the hub says that it was deleted', async () => {
    await start()
    const reply = await hub.command(bench.create(s1, say('Good morning.')))
    expect(reply).toEqual({ ok: true, answer: { state: 'accepted' } })
    await has(s1, 'turn_completed')
    expect(hub.seqs(s1)).toEqual(hub.seqs(s1).map((_, index) => index + 1))
    expect(eventsOf(s1).find(({ kind }) => kind === 'assistant_text')).toMatchObject({ text: 'Good morning.' })
    expect(eventsOf(s1)[0]).toMatchObject({ kind: 'session_created', realWorkDir: bench.workDir })
    hub.push('verdict', { sessionId: s1, verdict: 'deleted' })
    const command = bench.command(s1, { kind: 'session.delete' })
    expect(await hub.command(command)).toEqual({ ok: true, answer: { state: 'done' } })
    expect(bench.sessionIds()).toEqual([])
  })

  it('[CMD-2.9] a repeated command is not done twice, also by the next daemon', async () => {
    const first = await start()
    const create = bench.create(s1, say('Once.'))
    await Promise.all([hub.command(create), hub.command(create)])
    await has(s1, 'turn_completed')
    expect(await hub.command(create)).toEqual({ ok: true, answer: { state: 'done' } })
    await leave(first)
    await start()
    expect(await hub.command(create)).toEqual({ ok: true, answer: { state: 'done' } })
    expect(kindsOf(s1).filter((kind) => kind === 'user_message')).toHaveLength(1)
  })

  it('[POL-1.2] [T61] outside the allowed folders nothing is started, and the answer says how to allow it; nor for a session that is not here', async () => {
    await start()
    const create = bench.create(s1, say('No.'))
    if (create.body.kind === 'session.create') create.body.settings.workDir = bench.root
    const reply = await hub.command(create)
    expect(reply).toMatchObject({ ok: true, answer: { state: 'refused', error: { code: 'PATH_NOT_ALLOWED' } } })
    expect(JSON.stringify(reply)).toContain(` allow ${bench.root}`)
    expect(bench.sessionIds()).toEqual([])
    expect(readFileSync(bench.home.verbsLog, 'utf8')).toContain('"verdict":"refused","code":"PATH_NOT_ALLOWED"')
    expect(await hub.command(bench.prompt('nobody', 'x'))).toMatchObject({
      answer: { state: 'refused', error: { code: 'SESSION_NOT_FOUND' } },
    })
    expect(bench.sessionIds()).toEqual([])
  })

  variation('[SES-6.2] [SES-6.3] ends when it is idle and goes on with the next prompt', async () => {
    await start({ idleMs: 1_000 })
    await hub.command(bench.create(s1, say('One.')))
    await has(s1, 'turn_completed')
    await hub.until(() => hub.states.some(({ status }) => JSON.stringify(status).includes('"why":"idle"')))
    await hub.command(bench.prompt(s1, say('Two.')))
    await has(s1, 'turn_completed', 2)
    expect(hub.seqs(s1)).toEqual(hub.seqs(s1).map((_, index) => index + 1))
  })
})

describe('permission', () => {
  const asking = () => script([{ tool: 'Write', input: { file_path: 'x.txt', content: 'x' } }, { text: 'Written.' }])

  it('[PERM-3.1] [F24] [RES-1.1] a request outlives the daemon and is answered through the next one', async () => {
    const first = await start()
    await hub.command(bench.create(s1, asking()))
    await has(s1, 'permission_requested')
    await leave(first)
    hub.states.length = 0
    await start()
    await hub.until(() => hub.states.length > 0)
    expect(hub.states[0]).toMatchObject({ sessionId: s1, status: { status: 'needs_you' } })
    const asked = eventsOf(s1).find((event) => event.kind === 'permission_requested')
    if (asked?.kind !== 'permission_requested') throw new Error('nothing was asked')
    const { requestId, procId, digest } = asked.ask
    const decide = { kind: 'permission.decide', requestId, procId, digest, decision: 'allow' } as const
    await hub.command(bench.command(s1, decide, false))
    await has(s1, 'turn_completed')
    expect(readFileSync(path.join(bench.workDir, 'x.txt'), 'utf8')).toBe('x')
  })

  variation('[F24] [RES-6] when the host died meanwhile, the request is orphaned and the turn has an end', async () => {
    await start()
    await hub.command(bench.create(s1, asking()))
    await has(s1, 'permission_requested')
    process.kill(recordOf(s1).pid, 'SIGKILL')
    await has(s1, 'turn_completed')
    const resolved = eventsOf(s1).find(({ kind }) => kind === 'permission_resolved')
    expect(resolved).toMatchObject({ outcome: 'orphaned' })
    expect(existsSync(path.join(bench.workDir, 'x.txt'))).toBe(false)
    await hub.command(bench.prompt(s1, say('Again.')))
    await has(s1, 'turn_completed', 2)
  })
})

describe('the next daemon', () => {
  variation('[F3] [RES-1.1] a turn that runs while there is no daemon arrives completely', async () => {
    const first = await start()
    await hub.command(bench.create(s1, script([{ count: { to: 40, delayMs: 10 } }])))
    await has(s1, 'assistant_text')
    await leave(first)
    await start()
    await has(s1, 'turn_completed')
    expect(kindsOf(s1).filter((kind) => kind === 'assistant_text')).toHaveLength(40)
    expect(hub.seqs(s1)).toEqual(hub.seqs(s1).map((_, index) => index + 1))
  })

  it('[RES-6] a host that died while there was no daemon is closed by the next', async () => {
    const first = await start()
    await hub.command(bench.create(s1, script([{ hang: true }])))
    await has(s1, 'turn_started')
    const { pid } = recordOf(s1)
    await leave(first)
    process.kill(pid, 'SIGKILL')
    await start()
    await has(s1, 'turn_completed')
    expect(eventsOf(s1).at(-1)).toMatchObject({ kind: 'turn_completed' })
  })

  it('[T25] a second daemon on the same folder does not start', async () => {
    await start()
    await expect(bench.daemon()).rejects.toMatchObject({ code: 'ALREADY_RUNNING' })
  })
})

describe('the policy', () => {
  it('takes effect when the owner changes it, for the hub and for what is asked next', async () => {
    await start()
    bench.policy.write({ ...bench.policy.current(), maxSandbox: 'read-only' })
    const reply = await hub.command(bench.create(s1, say('No.')))
    expect(reply).toMatchObject({
      answer: { state: 'refused', error: { code: 'POLICY_DENIED', details: { rule: 'maxSandbox' } } },
    })
    await hub.until(() => hub.hellos.length === 2)
    expect(hub.hellos[1]?.policy.maxSandbox).toBe('read-only')
    expect(hub.hellos[1]?.policyDigest).not.toBe(hub.hellos[0]?.policyDigest)
  })

  it('[POL-3.1] [POL-3.4] [POL-3.6] pause refuses all that is new, lets the running turn go on, and outlives the daemon', async () => {
    const first = await start()
    const asks = script([{ tool: 'Write', input: { file_path: 'x.txt', content: 'x' } }, { text: 'Done.' }])
    await hub.command(bench.create(s1, asks))
    await has(s1, 'permission_requested')
    const waiting = bench.prompt(s1, say('waited'))
    await hub.command(waiting)
    pause.pause()
    const paused = { answer: { state: 'refused', error: { code: 'POLICY_DENIED', details: { rule: 'paused' } } } }
    expect(await hub.command(bench.create(s2, say('No.')))).toMatchObject(paused)
    await expect(hub.ask('question', { kind: 'folders' })).resolves.toMatchObject({ ok: false })
    await hub.until(() => typeof hub.hellos.at(-1)?.policy.pausedAt === 'number')
    await hub.until(() => hub.ready)
    const request = () =>
      (hub.states.at(-1)?.requests ?? []) as Array<Record<'requestId' | 'procId' | 'digest', string>>
    await hub.until(() => request().length === 1)
    const { requestId = '', procId = '', digest = '' } = request()[0] ?? {}
    const deny = () =>
      bench.command(s1, { kind: 'permission.decide', requestId, procId, digest, decision: 'deny' }, false)
    const told = hub.states.length
    expect(await hub.command(deny())).toMatchObject(paused)
    // The hub offers the question again only when it is told that it is still open.
    await hub.until(() => hub.states.length > told && request().length === 1)
    await leave(first)
    await start()
    expect(await hub.command(bench.prompt(s1, say('No.')))).toMatchObject(paused)
    pause.resume()
    await hub.until(() => hub.hellos.at(-1)?.policy.pausedAt === null && hub.ready)
    await hub.command(deny())
    await has(s1, 'turn_completed', 2)
    expect(eventsOf(s1).filter(({ kind }) => kind === 'user_message')).toHaveLength(2)
  })

  it('[POL-3.5] pause starts nothing that waits in a queue', async () => {
    await start()
    await hub.command(bench.create(s1, script([{ hang: true }])))
    await has(s1, 'session_started')
    await hub.command(bench.prompt(s1, say('waited')))
    pause.pause()
    await bench.until(() => bench.lines.some((line) => line.includes('paused;')))
    hub.states.length = 0
    const [program] = recordOf(s1).procs
    if (program === undefined) throw new Error('there is no program')
    process.kill(program.pid, 'SIGKILL')
    await hub.until(() => hub.states.some(({ sessionId, queueHeld }) => sessionId === s1 && queueHeld === true))
    expect(kindsOf(s1).filter((kind) => kind === 'user_message')).toHaveLength(1)
  })

  const noFolder = () => bench.policy.write({ ...bench.policy.current(), roots: [] })
  const isRefused = async (sessionId: string) =>
    expect(await hub.command(bench.prompt(sessionId, say('No.')))).toMatchObject({
      answer: { state: 'refused', error: { code: 'PATH_NOT_ALLOWED' } },
    })

  it('[POL-1.6] is what the very next prompt of a running session is judged by', async () => {
    await start()
    await hub.command(bench.create(s1, say('One.')))
    await has(s1, 'turn_completed')
    noFolder()
    await isRefused(s1)
    await has(s1, 'process_exited')
    expect(eventsOf(s1).at(-1)).toMatchObject({ cause: 'start_failed', error: { code: 'PATH_NOT_ALLOWED' } })
  })

  variation('[POL-1.6] that changed while no daemon ran is told to the hosts it finds', async () => {
    const first = await start()
    await hub.command(bench.create(s1, say('One.')))
    await has(s1, 'turn_completed')
    await leave(first)
    noFolder()
    await start()
    await isRefused(s1)
  })

  it('[CMD-8.1] further prompts are accepted and wait while as many programs run as it allows, and the hub hears why', async () => {
    bench.policy.write({ ...bench.policy.current(), limits: { ...bench.policy.current().limits, runningSessions: 1 } })
    await start()
    await hub.command(bench.create('busy', script([{ hang: true }])))
    await has('busy', 'turn_started')
    const later = bench.create('later', say('At last.'))
    expect(await hub.command(later)).toEqual({ ok: true, answer: { state: 'accepted' } })
    await hub.until(() => (hub.waits.at(-1)?.commands.length ?? 0) > 0)
    const { commandId, sessionId } = later
    expect(hub.waits.at(-1)).toEqual({ running: 1, limit: 1, commands: [{ commandId, sessionId }] })
    await hub.command(bench.command('busy', { kind: 'session.stop' }, false))
    await has('later', 'turn_completed')
    expect(hub.waits.at(-1)?.commands).toEqual([])
  })

  variation('an idle program makes room for a prompt that waits', async () => {
    bench.policy.write({ ...bench.policy.current(), limits: { ...bench.policy.current().limits, runningSessions: 1 } })
    await start()
    await hub.command(bench.create('first', say('Done.')))
    await has('first', 'turn_completed')
    await hub.command(bench.create('second', say('Mine now.')))
    await has('second', 'turn_completed')
  })

  const watches = { name: 'Bash', ask: false, input: { command: 'sleep 600', run_in_background: true } }
  const [many, limit] = wholeMatrix ? [10, 4] : [3, 2]
  const kinds = [
    ['in a turn', script([{ hang: true }]), 'session_started'],
    ['in the background', script([{ tools: [watches] }, { text: 'It runs.' }]), 'turn_completed'],
  ] as const
  it.each(wholeMatrix ? kinds : kinds.slice(1))(
    `[CMD-8] [SES-6] of ${many} sessions on a limit of ${limit}, all places but one are busy %s: the others come through one after the other`,
    async (_, busyScript, until) => {
      bench.policy.write({
        ...bench.policy.current(),
        limits: { ...bench.policy.current().limits, runningSessions: limit },
      })
      await start()
      const busy = Array.from({ length: limit - 1 }, (_, n) => `b${n}`)
      for (const sessionId of busy) {
        await hub.command(bench.create(sessionId, busyScript))
        await has(sessionId, until)
      }
      const before = busy.map(kindsOf)
      const others = Array.from({ length: many - busy.length }, (_, n) => `o${n}`)
      await Promise.all(others.map((sessionId) => hub.command(bench.create(sessionId, say('Mine now.')))))
      for (const sessionId of others) await has(sessionId, 'turn_completed')
      expect(Math.max(...hub.waits.map(({ running }) => running))).toBe(limit)
      expect(hub.waits.at(-1)?.commands).toEqual([])
      expect(busy.map(kindsOf)).toEqual(before)
    },
  )
})

describe('questions', () => {
  it('[CMD-6] names the folders inside the roots, and no others, and what the backends of the machine can do', async () => {
    await start()
    expect(await hub.ask('question', { kind: 'folders' })).toEqual({
      ok: true,
      answer: { path: bench.workDir, roots: [bench.workDir], folders: [], complete: true },
    })
    const outside = await hub.ask('question', { kind: 'folders', path: `${bench.workDir}/..` })
    expect(outside).toMatchObject({ ok: false, error: { code: 'PATH_NOT_ALLOWED' } })
    const reply = await hub.ask('question', { kind: 'manifest' })
    expect(reply).toMatchObject({
      ok: true,
      answer: { manifest: { backends: [{ kind: 'scripted', installed: true }] } },
    })
  })
})

describe('revoked', () => {
  it('[JOIN-3.2] ends its sessions, keeps their logs and does not come back', async () => {
    await start()
    await hub.command(bench.create(s1, script([{ hang: true }])))
    await has(s1, 'turn_started')
    hub.push('revoked', { code: 'AGENT_REVOKED', message: 'Revoked by Ana.' })
    await bench.until(() => bench.revoked.length === 1)
    daemons = []
    expect(bench.sessionIds()).toEqual([s1])
    expect(existsSync(sessionFiles(path.join(bench.home.sessions, s1)).log)).toBe(true)
    expect(hub.connections).toBe(1)
  })
})
