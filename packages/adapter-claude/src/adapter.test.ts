import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { collect, type Recorder } from '@roundhouse/adapter-testkit'
import type { AdapterContext, BackendAdapter, BackendProcess, SpawnOptions } from '@roundhouse/backend-types'
import { afterEach, describe, expect, it } from 'vitest'
import { type ClaudeAdapterOptions, createClaudeAdapter } from './adapter'

const fake = fileURLToPath(new URL('../fixtures/fake-claude.mjs', import.meta.url))
/** Unique on the machine: a reaper ends whatever carries the mark of its session. */
const SESSION = `claude-adapter-test-${process.pid}`
const ID = '11111111-1111-4111-8111-111111111111'
const cleanups: Array<() => Promise<unknown>> = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function folder(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'claude-')))
  cleanups.push(() => rm(dir, { recursive: true, force: true }))
  return dir
}

interface Setup {
  start?: string
  limits?: ClaudeAdapterOptions['limits']
  rawFrames?: boolean
  context?: Partial<AdapterContext>
}

async function setup({
  start = '',
  limits,
  rawFrames,
  context,
}: Setup = {}): Promise<{ adapter: BackendAdapter; workDir: string }> {
  const workDir = await folder()
  const env = { PATH: dirname(process.execPath), FAKE_START: start }
  const adapter = createClaudeAdapter({ binaryPath: fake, scratchDir: workDir, env, ...context }, { limits, rawFrames })
  return { adapter, workDir }
}

async function running(given: Setup & { options?: Partial<SpawnOptions> } = {}): Promise<{
  adapter: BackendAdapter
  process: BackendProcess
  recorder: Recorder
  workDir: string
}> {
  const { adapter, workDir } = await setup(given)
  const process = await adapter.spawn({ sessionId: SESSION, workDir, ...given.options })
  cleanups.push(() => process.kill())
  return { adapter, process, recorder: collect(adapter, process), workDir }
}

const code = (expected: string) => expect.objectContaining({ code: expected })

describe('a start', () => {
  it('[RES-8] tells the id it was given, provisional until its first turn, before any output', async () => {
    const { recorder } = await running({ options: { newSessionId: ID } })
    await recorder.turn('hello')
    expect(recorder.events[0]).toEqual({ type: 'session', backendSessionId: ID })
    expect(recorder.all('session')).toHaveLength(1)
  })

  it('[RES-8] hands a minted id to the program by --session-id, and an id to go on with by --resume', async () => {
    const first = await running()
    const [session] = [await first.recorder.wait('session')]
    expect((await first.recorder.turn('argv')).text).toContain(`--session-id=${session.backendSessionId}`)
    const second = await running({ options: { resumeId: ID, newSessionId: 'ignored' } })
    expect((await second.recorder.turn('argv')).text).toContain(`--resume=${ID}`)
    expect((await second.recorder.wait('session')).backendSessionId).toBe(ID)
  })

  it('[RES-5] a conversation that is gone is RESUME_UNAVAILABLE, also when it was never one', async () => {
    const { adapter, workDir } = await setup({ start: 'die:No conversation found with session ID: x' })
    await expect(adapter.spawn({ sessionId: SESSION, workDir, resumeId: ID })).rejects.toEqual(
      code('RESUME_UNAVAILABLE'),
    )
    await expect(adapter.spawn({ sessionId: SESSION, workDir, resumeId: 'my notes' })).rejects.toEqual(
      code('RESUME_UNAVAILABLE'),
    )
  })

  it('that fails says what the program said', async () => {
    const { adapter, workDir } = await setup({ start: 'die:Segmentation fault' })
    await expect(adapter.spawn({ sessionId: SESSION, workDir })).rejects.toMatchObject({
      code: 'BACKEND_CRASHED',
      message: 'Segmentation fault',
    })
  })

  it('that never answers ends with BACKEND_TIMEOUT, and so does the process', async () => {
    const { adapter, workDir } = await setup({ start: 'mute', limits: { startMs: 50 } })
    await expect(adapter.spawn({ sessionId: SESSION, workDir })).rejects.toEqual(code('BACKEND_TIMEOUT'))
  })

  it('without the program, the folder or a sound id is refused by its name', async () => {
    const { adapter, workDir } = await setup()
    await expect(adapter.spawn({ sessionId: SESSION, workDir: join(workDir, 'none') })).rejects.toEqual(
      code('INVALID_ARGUMENT'),
    )
    await expect(adapter.spawn({ sessionId: SESSION, workDir, newSessionId: 'abc' })).rejects.toEqual(
      code('INVALID_ARGUMENT'),
    )
    await expect(adapter.spawn({ sessionId: SESSION, workDir, model: 'a\0b' })).rejects.toEqual(
      code('INVALID_ARGUMENT'),
    )
    const missing = await setup({ context: { binaryPath: join(workDir, 'none') } })
    await expect(missing.adapter.spawn({ sessionId: SESSION, workDir })).rejects.toEqual(code('BACKEND_UNAVAILABLE'))
  })

  it('gives the program the context and the options, and nothing of our own environment', async () => {
    process.env.ROUNDHOUSE_LEAK = 'leaked'
    cleanups.push(async () => delete process.env.ROUNDHOUSE_LEAK)
    const { recorder, workDir } = await running({ options: { env: { EXTRA: '1' }, maxOutputTokens: 8000 } })
    const env = JSON.parse((await recorder.turn('env')).text)
    expect(env).toMatchObject({
      EXTRA: '1',
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: '8000',
      ROUNDHOUSE_SESSION: SESSION,
      DISABLE_AUTOUPDATER: '1',
    })
    expect(Object.keys(env)).not.toContain('ROUNDHOUSE_LEAK')
    expect((await recorder.turn('cwd')).text).toBe(workDir)
  })

  it('puts the system prompt and, without trust in the project, its notes above the conversation', async () => {
    const workDir = await folder()
    await writeFile(join(workDir, 'CLAUDE.md'), 'Use tabs.\n')
    const introduction = async (trustProjectConfig: boolean) => {
      const { adapter } = await setup({ context: { trustProjectConfig } })
      const started = await adapter.spawn({ sessionId: SESSION, workDir, systemPrompt: 'Be brief.' })
      cleanups.push(() => started.kill())
      return adapter.query?.(started, 'accountInfo', {})
    }
    const appended = (text: string) => ({
      asked: { subtype: 'initialize', forwardSubagentText: true, appendSystemPrompt: text },
    })
    expect(await introduction(false)).toEqual(appended('Be brief.\n\nNotes of this project (CLAUDE.md):\n\nUse tabs.'))
    expect(await introduction(true)).toEqual(appended('Be brief.'))
  })

  it('does not follow a link in the place of the project notes', async () => {
    const { adapter, workDir } = await setup()
    await writeFile(join(workDir, 'secret'), 'secret')
    await symlink(join(workDir, 'secret'), join(workDir, 'CLAUDE.md'))
    const started = await adapter.spawn({ sessionId: SESSION, workDir })
    cleanups.push(() => started.kill())
    expect(await adapter.query?.(started, 'accountInfo', {})).toEqual({
      asked: { subtype: 'initialize', forwardSubagentText: true },
    })
  })

  it('[LOG-4] is told before what the program prints in the same breath', async () => {
    const { recorder } = await running({ start: 'talkative', rawFrames: true })
    await recorder.turn('hello')
    expect(recorder.events.slice(0, 2).map(({ type }) => type)).toEqual(['session', 'output'])
    expect(recorder.events[1]).toMatchObject({ output: { kind: 'raw', payload: { subtype: 'news' } } })
  })
})

describe('a turn', () => {
  it('a resumed process reckons its first cost from what the program starts with', async () => {
    const { recorder } = await running({ options: { resumeId: ID } })
    const { info } = await recorder.turn('hello')
    expect(info).toMatchObject({ cost: 0.5, duration: 1, reason: 'completed' })
  })

  it('survives lines that are no frames', async () => {
    const { recorder } = await running()
    const { outputs, text } = await recorder.turn('garbage')
    expect(text).toBe('hello')
    expect(outputs.filter(({ kind }) => kind === 'raw')).toEqual([
      { kind: 'raw', backend: 'claude', payload: 'this is no JSON' },
      { kind: 'raw', backend: 'claude', payload: '[1]' },
    ])
  })

  it('reports a line over the limit instead of keeping it', async () => {
    const { recorder } = await running({ limits: { maxLineBytes: 1_000_000 } })
    const { outputs, text } = await recorder.turn('long line')
    expect(text).toBe('hello')
    expect(outputs[0]).toMatchObject({ kind: 'system', subtype: 'line_dropped', data: { bytes: expect.any(Number) } })
  })

  it('does not take a second prompt, nor one for a process that is gone', async () => {
    const { adapter, process, recorder } = await running()
    adapter.send(process, 'work for ever')
    expect(() => adapter.send(process, 'hello')).toThrowError(code('INTERNAL'))
    await recorder.output('assistant_text')
    await process.kill()
    expect(() => adapter.send(process, 'hello')).toThrowError(code('BACKEND_CRASHED'))
  })

  it('is steered while it runs, and only then', async () => {
    const { adapter, process, recorder } = await running()
    expect(await adapter.steer?.(process, 'too early')).toBe(false)
    adapter.send(process, 'work for ever')
    expect(await adapter.steer?.(process, 'do that')).toBe(true)
    expect((await recorder.finish(0)).text).toBe('working\nsteered: do that')
    await process.kill()
    expect(await adapter.steer?.(process, 'too late')).toBe(false)
  })

  it('asks and is answered over the pipe', async () => {
    const { recorder } = await running()
    const { text, asks } = await recorder.turn('ask', () => ({ decision: 'allow' }))
    expect(asks).toHaveLength(1)
    expect(JSON.parse(text)).toEqual({
      subtype: 'success',
      request_id: 'R',
      response: { behavior: 'allow', updatedInput: { command: 'ls' } },
    })
  })

  it('an answer to a process that is gone is REQUEST_GONE', async () => {
    const { adapter, process, recorder } = await running()
    adapter.send(process, 'ask')
    await recorder.wait('ask')
    await process.kill()
    await expect(recorder.answer('call', { decision: 'allow' })).rejects.toEqual(code('REQUEST_GONE'))
  })
})

describe('an interrupt', () => {
  it('ends the turn and resolves with it; idle it does nothing', async () => {
    const { adapter, process, recorder } = await running()
    await adapter.interrupt?.(process)
    adapter.send(process, 'work for ever')
    await recorder.output('assistant_text')
    await adapter.interrupt?.(process)
    expect(recorder.all('turn_completed').map(({ info }) => info.reason)).toEqual(['interrupted'])
    expect((await recorder.turn('hello')).info.reason).toBe('completed')
  })

  it('that came before the turn had begun is repeated', async () => {
    const { adapter, process, recorder } = await running({ start: 'absent-minded', limits: { interruptMs: 5_000 } })
    adapter.send(process, 'work for ever')
    await adapter.interrupt?.(process)
    expect(recorder.all('turn_completed').map(({ info }) => info.reason)).toEqual(['interrupted'])
    expect(process.isAlive()).toBe(true)
  })

  it('that is still on its way holds the next prompt back, which it would end', async () => {
    const { adapter, process, recorder } = await running({ start: 'slow to answer' })
    adapter.send(process, 'work for ever')
    await adapter.interrupt?.(process)
    adapter.send(process, 'hello')
    // The fake answers the interrupt only after this question, which tells the last prompt it was given.
    expect(await adapter.query?.(process, 'mcpServerStatus', {})).toEqual(['work for ever'])
    expect((await recorder.wait('turn_completed', ({ info }) => info.reason === 'completed')).info.cost).toBe(2.5)
  })

  it('that the program does not obey ends it by signal: the turn is interrupted and the exit is told', async () => {
    const { adapter, process, recorder } = await running({ start: 'deaf', limits: { interruptMs: 30 } })
    adapter.send(process, 'work for ever')
    await recorder.output('assistant_text')
    await adapter.interrupt?.(process)
    const types = recorder.events.map(({ type }) => type)
    expect(types.slice(-2)).toEqual(['turn_completed', 'exit'])
    expect(recorder.all('turn_completed')[0]?.info).toMatchObject({ reason: 'interrupted' })
    expect(process.isAlive()).toBe(false)
  })
})

describe('the end of a process', () => {
  it('that nobody asked for is told once, with signal and without an invented end of the turn', async () => {
    const { adapter, process, recorder } = await running()
    adapter.send(process, 'half a line, then death')
    const exit = await recorder.wait('exit')
    expect(exit).toEqual({ type: 'exit', code: null, info: { signal: 'SIGKILL', stderrTail: '' } })
    expect([process.isAlive(), recorder.all('exit').length, recorder.all('turn_completed').length]).toEqual([
      false,
      1,
      0,
    ])
  })

  it('comes after its last words', async () => {
    const { adapter, process, recorder } = await running()
    adapter.send(process, 'a last word, then death')
    const exit = await recorder.wait('exit')
    expect(exit).toEqual({ type: 'exit', code: 7, info: { signal: null, stderrTail: 'something broke\n' } })
    expect(recorder.all('output').map(({ output }) => output)).toEqual([{ kind: 'assistant_text', text: 'last word' }])
  })

  it('keeps the last 4 KiB of stderr, in whole characters', async () => {
    const { adapter, process, recorder } = await running({ start: 'chatty stderr' })
    adapter.send(process, 'a last word, then death')
    const { info } = await recorder.wait('exit')
    expect(Buffer.byteLength(info?.stderrTail ?? '')).toBeLessThanOrEqual(4096)
    expect(info?.stderrTail).toMatch(/^é+the end\nsomething broke\n$/)
  })

  it('on stop or kill is not told, and everybody who waits for it resolves', async () => {
    const { adapter, process, recorder } = await running()
    await Promise.all([adapter.stop(process), process.kill()])
    await process.kill()
    expect([process.isAlive(), recorder.all('exit')]).toEqual([false, []])
  })

  it('is forced on a process that ignores SIGTERM', async () => {
    const { process, recorder } = await running({ start: 'stubborn', limits: { killGraceMs: 30 } })
    await process.kill()
    expect([process.isAlive(), recorder.all('exit')]).toEqual([false, []])
  })

  it.runIf(global.process.platform === 'linux')('takes along what the program had started', async () => {
    const { process, recorder } = await running()
    const pid = Number((await recorder.turn('hire')).text)
    expect(runs(pid)).toBe(true)
    await process.kill()
    expect(runs(pid)).toBe(false)
  })

  it('rejects what waits for an answer, and what is asked afterwards', async () => {
    const { adapter, process } = await running({ start: 'silent' })
    const waiting = expect(adapter.query?.(process, 'mcpServerStatus', {})).rejects.toEqual(code('BACKEND_CRASHED'))
    await process.kill()
    await waiting
    await expect(adapter.query?.(process, 'mcpServerStatus', {})).rejects.toEqual(code('BACKEND_CRASHED'))
  })
})

describe('a pause', () => {
  it('[FLOW-2] holds back what is printed until reading goes on', async () => {
    const { adapter, process, recorder, workDir } = await running({ options: { env: { FAKE_NOTE: 'said' } } })
    adapter.pauseOutput?.(process, true)
    adapter.send(process, 'hello')
    await appears(join(workDir, 'said'))
    expect(recorder.events.map(({ type }) => type)).toEqual(['session'])
    adapter.pauseOutput?.(process, false)
    expect((await recorder.finish(0)).text).toBe('hello')
  })

  it('ends with the process, whose last words still come before its exit', async () => {
    const { adapter, process, recorder } = await running()
    adapter.pauseOutput?.(process, true)
    adapter.send(process, 'a last word, then death')
    await recorder.wait('exit')
    expect(recorder.events.map(({ type }) => type)).toEqual(['session', 'output', 'exit'])
  })

  it('does not keep a process from being ended', async () => {
    const { adapter, process } = await running()
    adapter.pauseOutput?.(process, true)
    adapter.send(process, 'work for ever')
    await process.kill()
    expect(process.isAlive()).toBe(false)
  })
})

/** One that nobody has collected yet counts as gone. */
function runs(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z')
  } catch {
    return false
  }
}

async function appears(file: string): Promise<void> {
  while (!existsSync(file)) await new Promise((resolve) => setImmediate(resolve))
}

describe('a change', () => {
  const told = (recorder: Recorder) =>
    recorder
      .all('output')
      .flatMap(({ output }) => (output.kind === 'system' && output.subtype === 'told' ? [output.data] : []))

  it('[RES-7] of model, mode and thinking takes effect at once; of the sandbox with a restart', async () => {
    const { adapter, process, recorder } = await running()
    const change = { model: 'opus', mode: 'plan', thinking: 'low', sandbox: 'read-only' } as const
    expect(await adapter.configure?.(process, change)).toEqual(['sandbox'])
    expect(told(recorder)).toEqual([
      { request: { subtype: 'set_model', model: 'opus' } },
      { request: { subtype: 'apply_flag_settings', settings: { effortLevel: 'low' } } },
      { request: { subtype: 'set_permission_mode', mode: 'plan' } },
    ])
    expect(await adapter.configure?.(process, { sandbox: 'workspace-write' })).toEqual([])
  })

  it('that cannot be is refused before anything is changed', async () => {
    const { adapter, process, recorder } = await running({ options: { sandbox: 'read-only' } })
    await expect(adapter.configure?.(process, { model: 'opus', mode: 'acceptEdits' })).rejects.toEqual(
      code('UNSUPPORTED'),
    )
    await expect(adapter.configure?.(process, { model: 'opus', thinking: 'off' })).rejects.toEqual(code('UNSUPPORTED'))
    expect(told(recorder)).toEqual([])
    await expect(adapter.configure?.(process, { model: 'bad' })).rejects.toMatchObject({
      code: 'BACKEND_ERROR',
      message: 'No such model.',
    })
  })

  it('to bypass needs the sandbox full-access and a restart', async () => {
    const { adapter, process } = await running({ options: { sandbox: 'full-access' } })
    expect(await adapter.configure?.(process, { mode: 'bypassPermissions' })).toEqual(['mode'])
    await expect(adapter.configure?.(process, { mode: 'bypassPermissions', sandbox: 'read-only' })).rejects.toEqual(
      code('UNSUPPORTED'),
    )
  })
})

describe('queries', () => {
  it('are answered from the start or by the program, and unknown ones are UNSUPPORTED', async () => {
    const { adapter, process } = await running()
    const ask = (method: string, params?: unknown) => adapter.query?.(process, method, params)
    expect(await ask('supportedModels')).toEqual([{ value: 'm' }])
    expect(await ask('supportedCommands')).toEqual([{ name: 'c' }])
    expect(await ask('accountInfo')).toMatchObject({ asked: { subtype: 'initialize' } })
    expect(await ask('mcpServerStatus')).toEqual([])
    expect(await ask('setModel', { model: 'opus' })).toEqual({ told: { subtype: 'set_model', model: 'opus' } })
    expect(await ask('setPermissionMode', { mode: 'plan' })).toEqual({
      told: { subtype: 'set_permission_mode', mode: 'plan' },
    })
    expect(await ask('setMaxThinkingTokens', { max_thinking_tokens: null })).toEqual({
      told: { subtype: 'set_max_thinking_tokens', max_thinking_tokens: null },
    })
    expect(await ask('rewindFiles', { user_message_id: 'u', dry_run: true })).toEqual({
      told: { subtype: 'rewind_files', user_message_id: 'u', dry_run: true },
    })
    await expect(ask('setPermissionMode', { mode: 'bypassPermissions' })).rejects.toEqual(code('UNSUPPORTED'))
    await expect(ask('setPermissionMode')).rejects.toEqual(code('INVALID_ARGUMENT'))
    await expect(ask('rewindFiles')).rejects.toEqual(code('INVALID_ARGUMENT'))
    await expect(ask('formatDisk')).rejects.toEqual(code('UNSUPPORTED'))
  })
})

describe('raw frames', () => {
  it('are all handed over, each once, where a front door asks for them', async () => {
    const { recorder } = await running({ rawFrames: true })
    const { outputs } = await recorder.turn('hello')
    const frames = outputs.flatMap((output) =>
      output.kind === 'raw' ? [(output.payload as { type: string }).type] : [],
    )
    expect(frames).toEqual(['assistant', 'result'])
  })
})

describe('getManifest', () => {
  it('tells version, path and choices, and again the same', async () => {
    const { adapter } = await setup()
    const manifest = await adapter.getManifest()
    expect(manifest).toMatchObject({ kind: 'claude', installed: true, version: '9.8.7', binaryPath: fake })
    expect(manifest.modes.map((mode) => mode.code)).toEqual(['default', 'acceptEdits', 'plan'])
    expect(manifest.models.filter((model) => model.default)).toHaveLength(1)
    expect(manifest.sandboxes).toEqual(['read-only', 'workspace-write', 'full-access'])
    expect(manifest.thinkingOptions?.map(({ code: level }) => level)).toEqual(['low', 'medium', 'high', 'xhigh', 'max'])
    expect(await adapter.getManifest()).toEqual(manifest)
  })

  it('never rejects: a program that is missing, broken or hangs is not installed, with the reason', async () => {
    const reason = async (given: Setup) => {
      const { installed, unavailableReason } = await (await setup(given)).adapter.getManifest()
      return [installed, unavailableReason]
    }
    expect(await reason({ context: { binaryPath: '/nowhere/claude' } })).toEqual([
      false,
      'There is no program at /nowhere/claude.',
    ])
    expect(await reason({ context: { binaryPath: undefined, env: {} } })).toEqual([
      false,
      'The program claude is not on the PATH of this machine.',
    ])
    expect(await reason({ start: 'no version' })).toEqual([false, 'claude --version failed.'])
    expect(await reason({ start: 'hang', limits: { versionMs: 200 } })).toEqual([
      false,
      'claude --version did not answer within 0.2 s.',
    ])
  })

  it('finds the program on the PATH of the context, never through a relative entry', async () => {
    const bin = await folder()
    await mkdir(join(bin, 'claude'))
    const other = await folder()
    await symlink(fake, join(other, 'claude'))
    const PATH = ['.', 'bin', bin, other, dirname(process.execPath)].join(':')
    const { adapter } = await setup({ context: { binaryPath: undefined, env: { PATH } } })
    expect((await adapter.getManifest()).binaryPath).toBe(join(other, 'claude'))
  })
})
