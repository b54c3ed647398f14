/**
 * What is Codex's own, against the real program with a scripted model. The rules that hold for every backend are in
 * `adapter-testkit` (real-codex.test.ts).
 */

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allowAll, collect, markedBy, processesWithMark, type Recorder, script } from '@roundhouse/adapter-testkit'
import type { AdapterContext, BackendOutput, SpawnOptions } from '@roundhouse/backend-types'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { codexEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startResponsesModel } from '../../../e2e/real-backends/model-servers/openai-responses.mjs'
import { wholeMatrix } from '../../../scripts/lib/runs/variation.mjs'
import { createCodexAdapter } from './adapter'

const { codex } = await findRealBackends('codex')
const timeout = 60_000
/** An ordinary run plays the first. */
const some = <T>(all: readonly T[]): readonly T[] => (wholeMatrix ? all : all.slice(0, 1))
const patience = { timeout: 20_000 }
const mark = randomUUID()
const command = (cmd: string, more = {}) => ({ tool: 'exec_command', input: { cmd, ...more } })
const isFinished = ({ output }: { output: BackendOutput }) =>
  output.kind === 'system' && output.subtype === 'background_finished'
const patch = (file: string, line: string) =>
  command(`apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${file}\n+${line}\n*** End Patch\nEOF`)

const mcpServer = fileURLToPath(new URL('../../adapter-testkit/src/fixtures/mcp-server.mjs', import.meta.url))

type Model = Awaited<ReturnType<typeof startResponsesModel>>
let model: Model
let place: ReturnType<typeof codexEnvironment>
let started: Recorder[] = []

function adapterFor(context: Partial<AdapterContext> = {}) {
  const { env, scratchDir } = place
  return createCodexAdapter({
    env,
    scratchDir,
    markedBy,
    ...('bin' in codex ? { binaryPath: codex.bin } : {}),
    ...context,
  })
}

async function start(options: Partial<SpawnOptions> = {}, context: Partial<AdapterContext> = {}): Promise<Recorder> {
  const adapter = adapterFor(context)
  const env = { ROUNDHOUSE_TEST_MARK: mark }
  const recorder = collect(adapter, await adapter.spawn({ sessionId: 's', workDir: place.workDir, env, ...options }))
  started.push(recorder)
  return recorder
}

/** A repository that brings its own MCP server. The server says that it ran by making a file. */
function hostileRepository(name: string) {
  const workDir = join(place.root, name)
  const ran = join(place.root, `${name}-ran`)
  for (const folder of ['objects', 'refs']) mkdirSync(join(workDir, '.git', folder), { recursive: true })
  writeFileSync(join(workDir, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  mkdirSync(join(workDir, '.codex'))
  const server = `[mcp_servers.evil]\ncommand = "/usr/bin/touch"\nargs = ["${ran}"]\n`
  writeFileSync(join(workDir, '.codex', 'config.toml'), server)
  return { workDir, ran: () => existsSync(ran) }
}

const sleeping = () => processesWithMark(mark).filter((left) => left.command.includes('sleep 47'))

function withoutBlock({ blockId: _, ...output }: { blockId?: string | undefined }) {
  return output
}

const ownersConfig = () => readFileSync(join(place.env.CODEX_HOME ?? '', 'config.toml'), 'utf8')

describe.skipIf('skipped' in codex)('the real Codex', { timeout }, () => {
  beforeAll(async () => {
    model = await startResponsesModel()
    place = codexEnvironment(model.url)
  })
  afterEach(async () => {
    for (const { adapter, process } of started) await adapter.stop(process)
    started = []
    // Sandboxed commands die with the program, but a moment after it.
    await expect.poll(() => processesWithMark(mark).map(({ pid }) => pid), patience).toEqual([])
  }, timeout)
  afterAll(async () => {
    await model.close()
    place.remove()
  })

  it.each(some(['workspace-write', 'read-only', 'full-access'] as const))(
    'in %s a repository’s own MCP server is not started, and the owner’s configuration stays as it is',
    async (sandbox) => {
      const { workDir, ran } = hostileRepository(`hostile-${sandbox}`)
      const before = ownersConfig()
      const first = await start({ workDir, sandbox })
      await first.turn(script([{ text: 'Hello.' }]))
      const [session] = first.all('session')
      await first.adapter.stop(first.process)
      const again = await start({ workDir, sandbox, resumeId: session?.backendSessionId })
      await again.turn(script([{ text: 'Hello again.' }]))
      await again.adapter.stop(again.process)
      expect(ran()).toBe(false)
      expect(ownersConfig()).toBe(before)
    },
  )

  it.skipIf(!wholeMatrix)('a repository below a folder that the owner trusts is not trusted either', async () => {
    const { workDir, ran } = hostileRepository('below-trusted')
    const before = ownersConfig()
    writeFileSync(
      join(place.env.CODEX_HOME ?? '', 'config.toml'),
      `${before}\n[projects."${workDir}"]\ntrust_level = "trusted"\n`,
    )
    mkdirSync(join(workDir, 'inner'))
    const recorder = await start({ workDir: join(workDir, 'inner') })
    await recorder.turn(script([{ text: 'Hello.' }]))
    writeFileSync(join(place.env.CODEX_HOME ?? '', 'config.toml'), before)
    expect(ran()).toBe(false)
  })

  it('with the policy’s leave the repository’s server is started', async () => {
    const { workDir, ran } = hostileRepository('trusted')
    const before = ownersConfig()
    const recorder = await start({ workDir }, { trustProjectConfig: true })
    await recorder.turn(script([{ text: 'Hello.' }]))
    writeFileSync(join(place.env.CODEX_HOME ?? '', 'config.toml'), before)
    expect(ran()).toBe(true)
  })

  it.each([
    ['sandboxed', {}],
    ['approved', { sandbox_permissions: 'require_escalated', justification: 'It sleeps' }],
  ])('an interrupted %s command is gone, and so are the folders of its sandbox', async (name, more) => {
    const workDir = join(place.root, `interrupted-${name}`)
    mkdirSync(workDir)
    const recorder = await start({ workDir })
    const text = script([command('true; sleep 47', { yield_time_ms: 30_000, ...more }), { text: 'No.' }])
    recorder.adapter.send(recorder.process, text)
    await recorder.wait('output', ({ output }) => output.kind === 'tool_use')
    if (name === 'approved') {
      const { request } = await recorder.wait('ask')
      await recorder.decide(request.callId, { decision: 'allow' })
      await expect.poll(() => sleeping().length, patience).toBeGreaterThan(0)
    }
    await recorder.adapter.interrupt?.(recorder.process)
    const { info } = await recorder.wait('turn_completed')
    expect(info.reason).toBe('interrupted')
    expect((await recorder.turn(script([{ text: 'Still here.' }]))).text).toBe('Still here.')
    await expect.poll(sleeping, patience).toEqual([])
    await expect.poll(() => readdirSync(workDir), patience).toEqual([])
  })

  it.each(some(['SIGKILL', 'stop']))('a %s with a command running leaves no folders of its sandbox', async (how) => {
    const workDir = join(place.root, `ended-by-${how}`)
    mkdirSync(workDir)
    const recorder = await start({ workDir })
    const running = join(workDir, 'running')
    recorder.adapter.send(recorder.process, script([command(`echo > ${running}; sleep 48`, { yield_time_ms: 30_000 })]))
    await expect.poll(() => existsSync(running), patience).toBe(true)
    if (how === 'stop') await recorder.adapter.stop(recorder.process)
    else {
      process.kill(recorder.pid, 'SIGKILL')
      await recorder.wait('exit')
    }
    expect(readdirSync(workDir)).toEqual(['running'])
  })

  it('a command that outlives its turn is told when it ends', async () => {
    const recorder = await start()
    const turn = await recorder.turn(
      script([command('true; sleep 1; echo over', { yield_time_ms: 250 }), { text: 'Runs.' }]),
    )
    const [use] = turn.outputs.filter(({ kind }) => kind === 'tool_use')
    const callId = use?.kind === 'tool_use' ? use.callId : ''
    expect(turn.outputs.filter(({ kind }) => kind === 'tool_result')).toEqual([
      { kind: 'tool_result', callId, output: '', background: true },
    ])
    const task = { taskId: callId, kind: 'command', label: expect.stringContaining('echo over'), callId }
    const ended = await recorder.wait('output', isFinished)
    expect(ended.output).toEqual({
      kind: 'system',
      subtype: 'background_finished',
      data: { ...task, outcome: 'completed', exitCode: 0, output: 'over\n' },
    })
  })

  it.skipIf(!wholeMatrix)(
    'a command that fails behind its turn is told with its exit code and all of its output',
    async () => {
      const recorder = await start()
      await recorder.turn(
        script([command('echo first; sleep 1; echo last; exit 3', { yield_time_ms: 250 }), { text: 'Runs.' }]),
      )
      const ended = await recorder.wait('output', isFinished)
      expect(ended.output).toMatchObject({
        subtype: 'background_finished',
        data: { outcome: 'failed', exitCode: 3, output: 'first\nlast\n' },
      })
    },
  )

  it('[SES-6] a command that outlives its turn is in the list of what runs, until it is stopped', async () => {
    const recorder = await start()
    const turn = await recorder.turn(script([command('sleep 47', { yield_time_ms: 250 }), { text: 'Runs.' }]))
    const [use] = turn.outputs.filter(({ kind }) => kind === 'tool_use')
    const callId = use?.kind === 'tool_use' ? use.callId : ''
    const { running } = await recorder.wait('background')
    expect(running).toEqual([
      { taskId: callId, kind: 'command', label: expect.stringContaining('sleep 47'), callId, canStop: true },
    ])
    expect(sleeping()).not.toEqual([])
    await recorder.adapter.stopTask?.(recorder.process, callId)
    const stopped = await recorder.wait('output', isFinished)
    expect(stopped.output).toMatchObject({ subtype: 'background_finished', data: { callId, outcome: 'stopped' } })
    await recorder.wait('background', (event) => event.running.length === 0)
    await expect.poll(sleeping, patience).toEqual([])
  })

  it('a patch is asked about with its diff where the sandbox does not allow it', async () => {
    const recorder = await start({ sandbox: 'read-only' })
    const turn = await recorder.turn(script([patch('patched.txt', 'hello'), { text: 'Patched.' }]), allowAll)
    const path = join(place.workDir, 'patched.txt')
    expect(turn.asks.map(({ toolName, input }) => ({ toolName, input }))).toEqual([
      { toolName: 'fileChange', input: { changes: [{ path, kind: { type: 'add' }, diff: 'hello\n' }] } },
    ])
    expect(readFileSync(path, 'utf8')).toBe('hello\n')
  })

  it.each(some(['change', 'start', 'resume']))(
    '[POL-4] [A42] no command reads what the policy denies, in its sandbox or let out of it, after a %s',
    async (how) => {
      const denied = join(place.root, `denied-${how}`)
      mkdirSync(denied)
      writeFileSync(join(denied, 'key'), 'SECRET')
      const context = { deny: { tools: [], paths: [denied, join(place.root, 'not-there')], inSandbox: true } }
      let recorder = await start({ sandbox: how === 'change' ? 'read-only' : 'workspace-write' }, context)
      if (how === 'resume') {
        await recorder.turn(script([{ text: 'Hello.' }]))
        const [session] = recorder.all('session')
        await recorder.adapter.stop(recorder.process)
        recorder = await start({ resumeId: session?.backendSessionId, additionalDirs: [place.otherDir] }, context)
      }
      if (how === 'change') await recorder.adapter.configure?.(recorder.process, { sandbox: 'workspace-write' })
      const cmd = `cat ${denied}/key; ls ${denied}; echo x > wrote-${how} && echo wrote`
      const outside = { sandbox_permissions: 'require_escalated', justification: 'It reads', yield_time_ms: 30_000 }
      const turn = await recorder.turn(script([command(cmd), command(cmd, outside), { text: 'Done.' }]), allowAll)
      const results = turn.outputs.flatMap((output) => (output.kind === 'tool_result' ? [String(output.output)] : []))
      expect(results).toHaveLength(2)
      for (const result of results) {
        expect(result).not.toContain('SECRET')
        expect(result).toContain('Permission denied')
        expect(result).toContain('wrote')
      }
      if (how !== 'resume') return
      const other = await recorder.turn(script([command(`touch ${place.otherDir}/a && echo made`), { text: 'Done.' }]))
      expect(JSON.stringify(other.outputs)).toContain('made')
    },
  )

  it('[RES-7] sandbox and mode change on the running process, in both directions', async () => {
    const recorder = await start({ sandbox: 'read-only' })
    const { adapter, process } = recorder
    const file = join(place.workDir, 'configured.txt')
    const write = (text: string) => script([command(`echo ${text} > ${file}`), { text: 'Done.' }])
    await recorder.turn(write('one'))
    expect(existsSync(file)).toBe(false)
    expect(await adapter.configure?.(process, { sandbox: 'workspace-write' })).toEqual([])
    await recorder.turn(write('two'))
    expect(readFileSync(file, 'utf8')).toBe('two\n')
    await adapter.configure?.(process, { mode: 'untrusted' })
    const asked = await recorder.turn(write('three'), () => ({ decision: 'deny' }))
    expect([asked.asks.length, readFileSync(file, 'utf8')]).toEqual([1, 'two\n'])
    await adapter.configure?.(process, { sandbox: 'read-only', mode: 'never' })
    await recorder.turn(write('four'))
    expect(readFileSync(file, 'utf8')).toBe('two\n')
  })

  it('[CMD-5.27] breaks off a text for a steer, and begins with it then', async () => {
    const recorder = await start()
    const { adapter, process } = recorder
    const order: unknown[] = []
    adapter.onOutput(process, (output) => {
      if (output.kind === 'assistant_text') order.push(output.partial ?? output.text)
    })
    adapter.send(process, script([{ text: 'word '.repeat(80), chunk: 5, delayMs: 50 }]))
    await recorder.wait('live')
    await adapter.steer?.(process, script([{ text: 'Minded.' }]), undefined, () => order.push('begins'))
    await recorder.wait('turn_completed')
    expect(order).toEqual([true, 'begins', 'Minded.'])
  })

  it('a sub-agent is interrupted together with its parent', async () => {
    const recorder = await start()
    const nested = script([{ text: 'Sub says.', hang: true }])
    const spawn = { tools: [{ name: 'spawn_agent', namespace: 'multi_agent_v1', input: { message: nested } }] }
    const wait = { text: 'Parent waits.', hang: true }
    recorder.adapter.send(recorder.process, script([spawn, wait]))
    await recorder.wait('live', ({ delta }) => delta.parentCallId !== undefined)
    await recorder.wait('live', ({ delta }) => delta.parentCallId === undefined)
    await recorder.adapter.interrupt?.(recorder.process)
    const nestedText = await recorder.wait('output', ({ output }) => 'parentCallId' in output)
    expect(nestedText.output).toMatchObject({ kind: 'assistant_text', text: 'Sub says.' })
    expect((await recorder.wait('turn_completed')).info.reason).toBe('interrupted')
  })

  it('without a login a spawn says so', async () => {
    const home = join(place.root, 'no-login')
    mkdirSync(home)
    const spawned = start({}, { env: { ...place.env, CODEX_HOME: home } })
    await expect(spawned).rejects.toMatchObject({ code: 'BACKEND_AUTH' })
  })

  it('a conversation is listed and can be read without being resumed', async () => {
    const workDir = join(place.root, 'history')
    mkdirSync(workDir)
    const recorder = await start({ workDir })
    const prompt = script([{ text: 'First.', ...command('echo in history') }, { text: 'Last.' }])
    const { outputs } = await recorder.turn(prompt)
    const backendSessionId = recorder.all('session')[0]?.backendSessionId ?? ''
    await recorder.adapter.stop(recorder.process)

    const listed = await recorder.adapter.listSessions?.()
    const updatedAt = expect.any(Number)
    expect(listed).toContainEqual({ backendSessionId, workDir, title: prompt.slice(0, 200), updatedAt })
    const told = outputs.filter(({ kind }) => !['raw', 'system', 'tool_progress'].includes(kind))
    expect(await recorder.adapter.readSession?.(backendSessionId)).toEqual([
      { kind: 'system', subtype: 'user_message', data: { text: prompt } },
      ...told.map((output) => ('blockId' in output ? withoutBlock(output) : output)),
    ])
    const unknown = recorder.adapter.readSession?.(randomUUID())
    await expect(unknown).rejects.toMatchObject({ code: 'RESUME_UNAVAILABLE' })
  })

  it('answers the questions of the bridge', async () => {
    const servers = { sums: { command: process.execPath, args: [mcpServer] } }
    const mcpConfigPath = join(place.root, 'mcp.json')
    writeFileSync(mcpConfigPath, JSON.stringify({ mcpServers: servers }))
    const recorder = await start({ mcpConfigPath })
    const ask = (method: string) => recorder.adapter.query?.(recorder.process, method, {})
    expect(await ask('supportedModels')).toEqual(
      expect.arrayContaining([expect.objectContaining({ value: expect.any(String) })]),
    )
    expect(await ask('supportedCommands')).toContainEqual(expect.objectContaining({ name: 'compact' }))
    expect(await ask('accountInfo')).toEqual({})
    await recorder.turn(script([{ text: 'Hello.' }]))
    expect(await ask('mcpServerStatus')).toEqual([
      {
        name: 'sums',
        status: 'connected',
        serverInfo: { name: 'sums', version: '1.0.0' },
        tools: [expect.objectContaining({ name: 'add' })],
      },
    ])
    await expect(ask('rewindFiles')).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })
})
