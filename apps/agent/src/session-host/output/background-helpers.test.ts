import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import type { BackgroundFinished } from '@roundhouse/backend-types'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type HostView, HostWorld } from '../../testing/host-world'
import { variation, wholeMatrix } from '../../testing/variation'

let world: HostWorld
/** What the log had before the test. */
let before = 0
const of: typeof world.of = (kind) => {
  const earlier = world
    .events()
    .slice(0, before)
    .filter((event) => event.kind === kind).length
  return world.of(kind).slice(earlier)
}
const each = () => {
  beforeEach(async () => {
    before = 0
    world = await HostWorld.create()
  })
  afterEach(() => world.dispose())
}

/** A call that starts a helper in the background; the helper writes a file, which it has to ask for. */
const helper = (name: string) => ({
  name: 'Agent',
  input: {
    description: `helper ${name}`,
    run_in_background: true,
    prompt: script([
      { tool: 'Write', input: { file_path: `${name}.txt`, content: name } },
      { text: `Helper ${name} is done.` },
    ]),
  },
})
const command = (label: string, seconds: number) => ({
  name: 'Bash',
  ask: false,
  input: { command: `sleep ${seconds}`, description: label, run_in_background: true },
})
const ended = () =>
  of('system')
    .filter(({ subtype }) => subtype === 'background_ended')
    .map(({ data }) => (data as { label: string }).label)
const finished = () =>
  of('system')
    .filter(({ subtype }) => subtype === 'background_finished')
    .map(({ data }) => data as BackgroundFinished)
const outcomes = () => of('permission_resolved').map(({ outcome }) => outcome)
const written = (name: string) => {
  const file = join(world.workDir, `${name}.txt`)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

describe('helpers and commands that run in the background of one program', () => {
  let host: HostView
  beforeAll(async () => {
    world = await HostWorld.create()
    host = await world.open()
    await host.run(world.create())
  })
  afterAll(() => world.dispose())
  beforeEach(() => {
    before = world.events().length
  })

  it('[SES-6] [LOG-9] how one ended is in the log, with the end of what it printed', async () => {
    const fails = { ...command('npm test', 0.2), progress: ['1 of 2\n', `key ghp_${'a1B2'.repeat(9)}\n2 of 2\n`] }
    fails.input.command = 'sleep 0.2; exit 3'
    await host.run(world.prompt(script([{ tools: [fails, command('true', 0)] }, { text: 'They run.' }])))
    const [failed, done] = await host.until(() => finished().length === 2 && finished())
    expect([failed?.callId, done?.callId].sort()).toEqual(
      of('tool_result')
        .map(({ callId }) => callId)
        .sort(),
    )
    expect(finished().sort((a, b) => (a.label < b.label ? -1 : 1))).toEqual([
      {
        ...{ taskId: 'task-1', kind: 'command', label: 'npm test', callId: expect.any(String) },
        ...{ outcome: 'failed', exitCode: 3, output: '1 of 2\nkey [redacted:github-token]\n2 of 2\n' },
      },
      {
        ...{ taskId: 'task-2', kind: 'command', label: 'true', callId: expect.any(String) },
        ...{ outcome: 'completed', exitCode: 0 },
      },
    ])
    expect(of('tool_result')).toMatchObject([
      { background: true, output: '' },
      { background: true, output: '' },
    ])
  })

  it('[PERM-1.14] [PERM-1.15] [LOG-7] their questions outlive the turn, and both act on a late answer', async () => {
    await host.run(world.prompt(script([{ tools: [helper('one'), helper('two')] }, { text: 'Main is done.' }])))
    const asked = await host.until(() => host.state.requests.length === 2 && host.state)
    const waiting = await host.until(() => host.state.turnId === undefined && host.state)
    expect(waiting.status).toEqual({ status: 'needs_you' })
    expect(waiting.background?.map(({ kind, label }) => [kind, label])).toEqual([
      ['helper', 'helper one'],
      ['helper', 'helper two'],
    ])
    await host.run(world.prompt(script([{ text: 'Another turn.' }])))
    expect(outcomes()).toEqual([])
    expect(host.state.requests.map(({ requestId }) => requestId)).toEqual(
      asked.requests.map(({ requestId }) => requestId),
    )
    for (const { requestId, procId, digest } of asked.requests) {
      await host.run(world.command({ kind: 'permission.decide', requestId, procId, decision: 'allow', digest }))
    }
    const rest = await host.until(() => host.state.background === undefined && host.state)
    expect(rest.status).toEqual({ status: 'idle' })
    expect([outcomes(), written('one'), written('two')]).toEqual([['applied', 'applied'], 'one', 'two'])
    const calls = of('tool_use').filter(({ toolName }) => toolName === 'Write')
    const results = of('tool_result').filter(({ callId }) => calls.some((call) => call.callId === callId))
    expect(results.map(({ interrupted, isError }) => [interrupted, isError])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
  })

  it('[CMD-5.24] [CMD-5.25] [CMD-5.26] [PERM-1.17] one that a person stops ends, what it asked is taken back, and the log names it', async () => {
    const both = [helper('one'), command('npm run dev', 60)]
    await host.run(world.prompt(script([{ tools: both }, { text: 'They run.' }])))
    const { background = [] } = await host.until(
      () => host.state.turnId === undefined && host.state.requests.length === 1 && host.state,
    )
    expect(background.map(({ label, canStop }) => [label, canStop])).toEqual([
      ['helper one', true],
      ['npm run dev', true],
    ])
    for (const { taskId } of background) {
      expect(await host.run(world.command({ kind: 'task.stop', taskId }))).toEqual({ state: 'done' })
    }
    const rest = await host.until(() => host.state.background === undefined && host.state)
    expect(rest).toMatchObject({ requests: [], status: { status: 'idle' } })
    expect([outcomes(), ended()]).toEqual([['withdrawn'], ['helper one', 'npm run dev']])
    const late = world.command({ kind: 'task.stop', taskId: background[0]?.taskId ?? '' })
    expect(await host.run(late)).toMatchObject({ state: 'refused', error: { code: 'ALREADY_ENDED' } })
  })
})

describe('helpers that run in the background', () => {
  each()

  it('[PERM-1.13] [PERM-1.14] a question of the turn itself ends with an interrupt, that of a helper waits on', async () => {
    const host = await world.open()
    const own = { name: 'Write', input: { file_path: 'own.txt', content: 'own' } }
    await host.client.command(world.create({}, script([{ tools: [helper('one')] }, { tools: [own] }])))
    const { turnId = '' } = await host.until(() => host.state.requests.length === 2 && host.state)
    await host.run(world.command({ kind: 'turn.interrupt', turnId }))
    const waiting = await host.until(() => host.state.turnId === undefined && host.state)
    expect(waiting.requests.map(({ input }) => (input as { file_path: string }).file_path)).toEqual(['one.txt'])
    expect(outcomes()).toEqual(['withdrawn'])
  })

  it('[RES-2.2] [PERM-1.18] what a helper asked is orphaned when the program goes', async () => {
    const host = await world.open()
    await host.run(world.create({}, script([{ tools: [helper('one')] }, { text: 'Main is done.' }])))
    await host.until(() => host.state.turnId === undefined && host.state.requests.length === 1)
    expect(await host.run(world.command({ kind: 'process.end' }))).toEqual({ state: 'done' })
    expect(outcomes()).toEqual(['orphaned'])
    expect(ended()).toEqual(['helper one'])
    expect(host.state).toMatchObject({ requests: [], status: { status: 'resumable', why: 'ended_by_person' } })
    expect(host.state.background).toBeUndefined()
  })

  variation('[RES-7] [PERM-1.18] what a helper asked is orphaned when settings need another program', async () => {
    const host = await world.open()
    await host.run(world.create({}, script([{ tools: [helper('one')] }, { text: 'Main is done.' }])))
    await host.until(() => host.state.turnId === undefined && host.state.requests.length === 1)
    expect(await host.run(world.command({ kind: 'session.resume', fresh: true }))).toEqual({ state: 'done' })
    expect([outcomes(), ended()]).toEqual([['orphaned'], ['helper one']])
    await host.run(world.prompt(script([{ text: 'After all.' }])))
    expect(host.state).toMatchObject({ requests: [], status: { status: 'idle' } })
  })
})

describe('commands that run in the background', () => {
  each()

  it('[SES-6.1] a session is not idle while one runs', async () => {
    const host = await world.open({ idleMs: 100 })
    await host.run(world.create({}, script([{ tools: [command('npm run dev', 60)] }, { text: 'It runs.' }])))
    const { background } = await host.until(
      () => host.state.turnId === undefined && host.state.background && host.state,
    )
    expect(await host.client.stop('idle')).toEqual({ stopped: false })
    await host.run(world.command({ kind: 'task.stop', taskId: background?.[0]?.taskId ?? '' }))
    expect(await host.gone()).toBe('idle')
  })

  it.each(wholeMatrix ? (['process.end', 'session.stop'] as const) : (['session.stop'] as const))(
    '[SES-6] [LOG-7.22] one that %s ends is named in the log',
    async (kind) => {
      const host = await world.open()
      await host.run(world.create({}, script([{ tools: [command('npm run dev', 60)] }, { text: 'It runs.' }])))
      await host.until(() => host.state.turnId === undefined && host.state.background !== undefined)
      await host.run(world.command({ kind }))
      expect(ended()).toEqual(['npm run dev'])
    },
  )

  it('[SES-6.7] [RES-6] one that a kill of the host ends is named by the next host', async () => {
    const host = await world.open()
    await host.run(world.create({}, script([{ tools: [command('npm run dev', 60)] }, { text: 'It runs.' }])))
    await host.until(() => host.state.turnId === undefined && host.state.background !== undefined)
    process.kill(world.record().pid, 'SIGKILL')
    await world.guardIsDone()
    await world.open()
    expect(ended()).toEqual(['npm run dev'])
  })

  it('[SES-6] of one that ends with its program the log keeps what it printed', async () => {
    const host = await world.open()
    const server = { ...command('npm run dev', 60), progress: ['Listening\n'] }
    await host.run(world.create({}, script([{ tools: [server] }, { text: 'It runs.' }])))
    await host.until(() => host.frames.some(({ text }) => text.includes('Listening')))
    await host.run(world.command({ kind: 'process.end' }))
    const [event] = world.of('system').filter(({ subtype }) => subtype === 'background_ended')
    expect(event?.data).toMatchObject({ why: 'program_ended', output: 'Listening\n' })
  })
})
