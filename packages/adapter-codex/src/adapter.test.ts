/** The process edge, against a small program that speaks like `codex app-server`. */

import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { collect, type Recorder } from '@roundhouse/adapter-testkit'
import type { AdapterContext, BackendProcess } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCodexAdapter } from './adapter'

const fake = fileURLToPath(new URL('../fixtures/fake-app-server.mjs', import.meta.url))
const threadId = '01a1fff1-0000-7000-8000-000000000001'
let root = ''

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'codex-edge-')))
})
afterEach(() => rm(root, { recursive: true, force: true }))

function bench(behaviour = '', context: Partial<AdapterContext> = {}) {
  const env = { PATH: process.env.PATH ?? '', HOME: root, FAKE_CODEX: behaviour }
  const answerMs = behaviour === 'silent' ? 200 : 20_000
  const times = { startTimeoutMs: answerMs, endGraceMs: 200, manifestTimeoutMs: answerMs }
  return createCodexAdapter({ env, binaryPath: fake, scratchDir: join(root, 'scratch'), ...context }, times)
}

const options = () => ({ sessionId: 's', workDir: root })
const isGone = (pid = 0) => {
  expect(pid).toBeGreaterThan(1)
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}
/** What the `echo` turn says about the program: its arguments, its environment and the parameters of the turn. */
async function echo(recorder: Recorder) {
  const { text } = await recorder.turn('echo')
  return JSON.parse(text) as { argv: string[]; env: Record<string, string>; params: Record<string, unknown> }
}

describe('start', () => {
  it('[LOG-4] tells the id of the conversation first, as provisional', async () => {
    const adapter = bench()
    const process = await adapter.spawn(options())
    const started: unknown[] = []
    const outputs: unknown[] = []
    adapter.onOutput(process, (output) => outputs.push({ output, started: started.length }))
    adapter.onSessionStarted?.(process, (info) => started.push(info))
    const ended = new Promise((resolve) => adapter.onTurnComplete?.(process, resolve))
    adapter.send(process, 'noise')
    await ended
    await adapter.stop(process)
    expect(started).toEqual([{ backendSessionId: threadId, provisional: true }])
    expect(outputs).toEqual([
      { output: { kind: 'raw', backend: 'codex', payload: 'not json at all' }, started: 1 },
      {
        output: { kind: 'raw', backend: 'codex', payload: { method: 'novelty/happened', params: { threadId } } },
        started: 1,
      },
    ])
  })

  it('gives the program the owner’s environment, the session’s on top and a folder of its own for temporary files', async () => {
    const adapter = bench()
    const backend = await adapter.spawn({ ...options(), env: { SESSION_VALUE: '1' } })
    const { env, argv } = await echo(collect(adapter, backend))
    expect(env).toEqual({
      PATH: process.env.PATH ?? '',
      HOME: root,
      FAKE_CODEX: '',
      SESSION_VALUE: '1',
      TMPDIR: join(root, 'scratch', `codex-${backend.id}`),
      ROUNDHOUSE_CODEX: join(root, 'scratch', `codex-${backend.id}`),
    })
    expect(argv.slice(0, 2)).toEqual(['app-server', '-c'])
    expect(await readdir(join(root, 'scratch'))).toEqual([`codex-${backend.id}`])
    await adapter.stop(backend)
    expect(await readdir(join(root, 'scratch'))).toEqual([])
  })

  it.each([
    ['ends at once', 'BACKEND_UNAVAILABLE', 'exits', /config\.toml: expected a value/],
    ['says nothing', 'BACKEND_TIMEOUT', 'silent', /./],
    ['is not logged in', 'BACKEND_AUTH', 'logged-out', /codex login/],
  ])('a program that %s is %s, and nothing is left behind', async (_, code, behaviour, message) => {
    await expect(bench(behaviour).spawn(options())).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
    expect(await readdir(join(root, 'scratch'))).toEqual([])
  })

  it('[RES-5] an id that Codex does not know is RESUME_UNAVAILABLE', async () => {
    const spawned = bench().spawn({ ...options(), resumeId: '01a1ffe2-37c0-7fa1-a53a-20a462a2dfff' })
    await expect(spawned).rejects.toMatchObject({ code: 'RESUME_UNAVAILABLE' })
  })

  it('a program that is not there is BACKEND_UNAVAILABLE', async () => {
    const spawned = bench('', { binaryPath: join(root, 'nothing') }).spawn(options())
    await expect(spawned).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
  })
})

describe('turns', () => {
  let recorder: Recorder
  let backend: BackendProcess
  const adapter = () => recorder.adapter
  beforeEach(async () => {
    const made = bench()
    backend = await made.spawn(options())
    recorder = collect(made, backend)
  })
  afterEach(() => backend.kill())

  it('[LOG-7] a turn that is refused ends as failed, and the next one works', async () => {
    const { info } = await recorder.turn('refuse')
    expect(info).toEqual({
      reason: 'failed',
      error: { code: 'BACKEND_ERROR', message: 'thread not found' },
      backendSessionId: threadId,
    })
    expect((await recorder.turn('noise')).info.reason).toBe('completed')
  })

  it('what is configured is sent once, with the next turn', async () => {
    const restart = await adapter().configure?.(backend, {
      model: 'm2',
      mode: 'untrusted',
      sandbox: 'workspace-write',
      thinking: 'high',
    })
    expect(restart).toEqual([])
    const input = [{ type: 'text', text: 'echo', text_elements: [] }]
    expect((await echo(recorder)).params).toEqual({
      threadId,
      input,
      model: 'm2',
      approvalPolicy: 'untrusted',
      effort: 'high',
      sandboxPolicy: {
        type: 'workspaceWrite',
        writableRoots: [],
        networkAccess: true,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: true,
      },
    })
    expect((await echo(recorder)).params).toEqual({ threadId, input })
  })

  it('a prompt that meets a turn that began by itself waits for its end', async () => {
    const first = recorder.events.length
    await recorder.turn('wakes')
    await recorder.wait('turn_started', () => true, first)
    const from = recorder.events.length
    adapter().send(backend, 'noise')
    await adapter().interrupt?.(backend)
    await recorder.wait('turn_completed', ({ info }) => info.reason === 'completed', from)
    expect(recorder.all('turn_completed', from).map(({ info }) => [info.reason, info.backendMeta?.turnId])).toEqual([
      ['interrupted', 'woken'],
      ['completed', 'turn-2'],
    ])
  })

  it('an interrupt right behind a prompt waits until the turn has its id', async () => {
    const from = recorder.events.length
    adapter().send(backend, 'hang')
    await adapter().interrupt?.(backend)
    const { info } = await recorder.wait('turn_completed', () => true, from)
    expect(info).toEqual({
      reason: 'interrupted',
      duration: 1,
      backendMeta: { turnId: 'turn-1' },
      backendSessionId: threadId,
    })
  })

  it('a steer without a turn is not taken', async () => {
    expect(await adapter().steer?.(backend, 'more')).toBe(false)
  })

  it('a decision on a request that nobody made is REQUEST_GONE', async () => {
    const decided = adapter().respondToPermission?.(backend, { callId: 'c', decision: 'allow' })
    await expect(decided).rejects.toMatchObject({ code: 'REQUEST_GONE' })
  })
})

describe('end', () => {
  it('a crash is told once, with its code and the last words, and the process is forgotten', async () => {
    const adapter = bench()
    const backend = await adapter.spawn(options())
    const recorder = collect(adapter, backend)
    adapter.send(backend, 'crash')
    const { code, info } = await recorder.wait('exit')
    expect({ code, signal: info?.signal, length: info?.stderrTail.length, end: info?.stderrTail.slice(-10) }).toEqual({
      code: 7,
      signal: null,
      length: 4096,
      end: 'last words',
    })
    expect(recorder.all('turn_completed')).toEqual([])
    expect(backend.isAlive()).toBe(false)
    expect(() => adapter.send(backend, 'more')).toThrow(expect.objectContaining({ code: 'BACKEND_CRASHED' }))
  })

  it('a stop tells no exit', async () => {
    const adapter = bench()
    const backend = await adapter.spawn(options())
    const recorder = collect(adapter, backend)
    await recorder.turn('noise')
    await adapter.stop(backend)
    expect([isGone(backend.pid), backend.isAlive(), recorder.all('exit')]).toEqual([true, false, []])
  })

  it('a program that does not listen is killed after the grace time', async () => {
    const adapter = bench('stubborn')
    const backend = await adapter.spawn(options())
    await backend.kill()
    expect(isGone(backend.pid)).toBe(true)
  })
})

describe('manifest', () => {
  it('says what is there, again and again', async () => {
    const adapter = bench()
    const first = await adapter.getManifest()
    expect(first).toMatchObject({
      kind: 'codex',
      installed: true,
      version: '0.169.0',
      binaryPath: fake,
      models: [{ code: 'fake-model', label: 'fake-model', default: true }],
    })
    expect(await adapter.getManifest()).toEqual(first)
    expect(await readdir(join(root, 'scratch'))).toEqual([])
  })

  it.each([
    ['a program that is missing', 'missing', /no program at/],
    ['a program that ends at once', 'exits', /expected a value/],
    ['a program that hangs', 'silent', /did not answer/],
  ])('%s is not installed, with a reason', async (_, behaviour, reason) => {
    const context = behaviour === 'missing' ? { binaryPath: join(root, 'nothing') } : {}
    const entry = await bench(behaviour, context).getManifest()
    expect(entry).toMatchObject({ installed: false, unavailableReason: expect.stringMatching(reason), models: [] })
  })
})
