/** The process edge, against a small program that speaks the protocol, and against bad ones. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { collect, markedBy, type Recorder, type TempDir, tempDir } from '@roundhouse/adapter-testkit'
import type { AdapterContext, SpawnOptions } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAcpAdapter } from './adapter'
import { profiles } from './profiles'
import type { AcpProgram } from './program/program'

const file = fileURLToPath(new URL('./testing/scripted-program.mjs', import.meta.url))
const program: AcpProgram = {
  kind: 'scripted-acp',
  label: 'Scripted ACP',
  profile: profiles.generic,
  argv: [process.execPath, file],
}

let root: TempDir
const started: Recorder[] = []
beforeEach(() => {
  root = tempDir('acp')
})
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ adapter, process }) => adapter.stop(process)))
  root.remove()
})

function adapterFor(behaviour = '', more: Partial<AcpProgram> = {}, context: Partial<AdapterContext> = {}) {
  const scratchDir = join(root.path, 'scratch')
  mkdirSync(scratchDir, { recursive: true })
  const env = { PATH: process.env.PATH ?? '', HOME: root.path, SCRIPTED_ACP: behaviour }
  const answerMs = behaviour === 'silent' || behaviour === 'noise' ? 300 : 20_000
  const times = { startTimeoutMs: answerMs, endGraceMs: 500, manifestTimeoutMs: answerMs }
  return createAcpAdapter({ ...program, ...more }, { env, scratchDir, markedBy, ...context }, times)
}

async function start(options: Partial<SpawnOptions> = {}, adapter = adapterFor()): Promise<Recorder> {
  const recorder = collect(adapter, await adapter.spawn({ sessionId: 's', workDir: root.path, ...options }))
  started.push(recorder)
  return recorder
}

const refusal = (behaviour: string, options: Partial<SpawnOptions> = {}) =>
  start(options, adapterFor(behaviour)).then(
    () => 'it was not refused',
    (error: unknown) => error,
  )

const script = (...steps: object[]) => `SCRIPT: ${JSON.stringify(steps)}`
const shell = (command: string, more = {}) => ({ tool: 'shell', input: { command }, ...more })
const raws = (recorder: Recorder) =>
  recorder.all('output').flatMap(({ output }) => (output.kind === 'raw' ? [output.payload] : []))

describe('the manifest', () => {
  it('lists the models that the last session of the program named, and none before', async () => {
    const modelsFolder = join(root.path, 'models')
    const adapter = adapterFor('', {}, { modelsFolder })
    expect((await adapter.getManifest()).models).toEqual([])
    await start({}, adapter)
    const other = { code: 'other-model', label: 'other model' }
    const models = [{ code: 'first-model', label: 'first model', default: true }, other]
    await expect.poll(async () => (await adapterFor('', {}, { modelsFolder }).getManifest()).models).toEqual(models)
    expect((await adapterFor().getManifest()).models).toEqual([])
  })
})

describe('start', () => {
  it('gives the program its own folder for temporary files, which goes with it', async () => {
    const recorder = await start({ env: { SESSION_VALUE: '1' } })
    const turn = await recorder.turn(script(shell('echo $SESSION_VALUE $TMPDIR', { unasked: true })))
    const [folder] = readdirSync(join(root.path, 'scratch'))
    expect(turn.outputs).toContainEqual(
      expect.objectContaining({ kind: 'tool_result', output: `1 ${join(root.path, 'scratch', folder ?? '')}\n` }),
    )
    await recorder.adapter.stop(recorder.process)
    expect(readdirSync(join(root.path, 'scratch'))).toEqual([])
  })

  it('[POL-1] refuses what only the owner of the machine sets', async () => {
    expect(await refusal('', { env: { XDG_CONFIG_HOME: '/elsewhere' } })).toMatchObject({ code: 'POLICY_DENIED' })
  })

  it.each(['', 'tells-late'])('what a continued conversation tells again is not told twice: %s', async (behaviour) => {
    const history = { isProvisional: false, toldUntil: 'available_commands_update' }
    const late = { profile: { ...profiles.generic, history } }
    const first = await start()
    await first.turn(script({ text: 'Once.' }))
    await first.adapter.stop(first.process)
    const resumeId = first.all('session')[0]?.backendSessionId
    const second = await start({ resumeId }, adapterFor(behaviour, behaviour === '' ? {} : late))
    await second.turn(script({ text: 'Twice.' }))
    const told = second.all('output').flatMap(({ output }) => (output.kind === 'raw' ? [] : [output]))
    expect(told).toEqual([expect.objectContaining({ kind: 'assistant_text', text: 'Twice.' })])
  })

  it('[RES-2.7] says what it waits for before it continues a conversation, and when it goes on', async () => {
    const first = await start()
    await first.adapter.stop(first.process)
    const resumeId = first.all('session')[0]?.backendSessionId
    const loadTrap = { folder: ['scripted-acp'], waitMs: () => 20, why: (label: string) => `${label} waits.` }
    const profile = { ...profiles.generic, history: { isProvisional: false, loadTrap } }
    const told: Array<string | null> = []
    await start({ resumeId }, adapterFor('', { profile }, { startWaits: (why) => void told.push(why) }))
    expect(told).toEqual(['Scripted ACP waits.', null])
  })

  it('ends what its commands left running when it is killed', async () => {
    const recorder = await start()
    const mark = join(root.path, 'started')
    recorder.adapter.send(
      recorder.process,
      script(shell(`setsid sleep 300 & echo $! > ${mark}; echo done`, { unasked: true }), { hang: true }),
    )
    await recorder.wait('output', ({ output }) => output.kind === 'tool_use')
    process.kill(recorder.pid, 'SIGKILL')
    await recorder.wait('exit')
    expect(await markedBy({ SCRIPTED_ACP: '', HOME: root.path })).toEqual([])
  })
})

describe('thinking, plan and modes', () => {
  it('each has its own output', async () => {
    const recorder = await start()
    const entries = [{ content: 'Look', status: 'in_progress', priority: 'high' }, { content: 'Leap' }]
    const mode = { sessionUpdate: 'current_mode_update', currentModeId: 'plan' }
    const frame = { method: 'session/update', params: { sessionId: '$SESSION', update: mode } }
    const turn = await recorder.turn(script({ thinking: 'Hm.' }, { plan: entries }, { frame }, { text: 'Yes.' }))
    expect(turn.outputs).toEqual([
      { kind: 'thinking', text: 'Hm.', blockId: expect.any(String) },
      {
        kind: 'plan',
        items: [
          { text: 'Look', status: 'in_progress' },
          { text: 'Leap', status: 'pending' },
        ],
      },
      { kind: 'assistant_text', text: 'Yes.', blockId: expect.any(String) },
    ])
    expect(recorder.all('mode')).toEqual([{ type: 'mode', mode: 'plan' }])
  })
})

it('an unknown program has no choice of sandboxes, and continues conversations if it says so', async () => {
  const entry = await adapterFor().getManifest()
  expect(entry).toMatchObject({ installed: true, version: '1.2.3', sandboxes: [] })
  expect(entry.capabilities).toMatchObject({ supportsPermissions: false, supportsSessionResume: true })
  expect((await adapterFor('forgets').getManifest()).capabilities.supportsSessionResume).toBe(false)
})

describe('[BAD-1] a bad program', () => {
  it('that says nothing, or prints no JSON, did not answer', async () => {
    for (const behaviour of ['silent', 'noise']) {
      expect(await refusal(behaviour)).toMatchObject({ code: 'BACKEND_TIMEOUT' })
      expect(await adapterFor(behaviour).getManifest()).toMatchObject({ installed: false, unanswered: true })
    }
  })

  it('that ends at once says why', async () => {
    const error = await refusal('exits')
    expect(error).toMatchObject({ code: 'BACKEND_UNAVAILABLE', message: expect.stringContaining('expected a value') })
  })

  it('that is not logged in, or speaks another protocol, is refused in its words', async () => {
    expect(await refusal('logged-out')).toMatchObject({ code: 'BACKEND_AUTH' })
    expect(await refusal('old')).toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
  })

  it('that says what nobody knows is heard to the end of its turn', async () => {
    const recorder = await start()
    const update = { sessionUpdate: 'novelty', much: { of: 'it' } }
    const unknown = { method: 'session/update', params: { sessionId: '$SESSION', update } }
    const turn = await recorder.turn(
      script(
        { line: 'no JSON at all' },
        { line: '[1,2]' },
        { frame: unknown },
        { frame: { method: 'novelty/happened', params: {} } },
        { frame: { id: 77, result: {} } },
        { text: 'Still here.' },
      ),
    )
    expect(turn.text).toBe('Still here.')
    expect(raws(recorder)).toEqual([
      'no JSON at all',
      '[1,2]',
      { sessionId: expect.any(String), update },
      { jsonrpc: '2.0', method: 'novelty/happened', params: {} },
      { jsonrpc: '2.0', id: 77, result: {} },
    ])
  })

  it('a line of 40 MB is read', { timeout: 60_000 }, async () => {
    const recorder = await start()
    const turn = await recorder.turn(script({ long: 40 * 1_048_576 }))
    expect(turn.text).toHaveLength(40 * 1_048_576)
  })

  it('a line over the limit of all programs is kept by its ends alone, and the turn goes on', {
    timeout: 60_000,
  }, async () => {
    const recorder = await start()
    const turn = await recorder.turn(script({ long: 66 * 1_048_576 }, { text: 'Still here.' }))
    expect(turn.text).toBe('Still here.')
    expect(turn.outputs).toContainEqual(expect.objectContaining({ kind: 'system', subtype: 'line_dropped' }))
  })

  it('a request whose options are new is refused by itself: no card stays open', async () => {
    const recorder = await start()
    const options = [{ optionId: 'x', kind: 'allow_twice', name: 'Twice' }]
    const turn = await recorder.turn(script(shell('echo hi', { options }), { text: 'On.' }))
    expect(turn.asks).toEqual([])
    expect(turn.text).toBe('On.')
    expect(turn.outputs.filter(({ kind }) => kind === 'system' || kind === 'tool_result')).toEqual([
      { kind: 'system', subtype: 'ask_refused', data: expect.objectContaining({ code: 'UNSUPPORTED' }) },
      expect.objectContaining({ kind: 'tool_result', isError: true }),
    ])
  })

  it('two replies to one prompt are one end of one turn', async () => {
    const recorder = await start()
    await recorder.turn(script({ twice: true }))
    expect((await recorder.turn(script({ text: 'Next.' }))).text).toBe('Next.')
    expect(recorder.all('turn_completed')).toHaveLength(2)
  })

  it('a request that is not served is answered, and the turn goes on', async () => {
    const recorder = await start()
    const write = { id: 5, method: 'fs/write_text_file', params: { path: '/x', content: 'y' } }
    expect((await recorder.turn(script({ frame: write }, { text: 'On.' }))).text).toBe('On.')
    expect(raws(recorder)).toEqual([{ jsonrpc: '2.0', ...write }])
  })

  it('a crash with a request open is one exit', async () => {
    const recorder = await start()
    recorder.adapter.send(recorder.process, script(shell('echo hi'), { crash: true }))
    const { request } = await recorder.wait('ask')
    process.kill(recorder.pid, 'SIGKILL')
    await recorder.wait('exit')
    await expect(recorder.decide(request.callId, { decision: 'allow' })).rejects.toMatchObject({ code: 'REQUEST_GONE' })
    expect(recorder.all('turn_completed')).toEqual([])
  })

  it('a model that is refused leaves nothing behind', async () => {
    expect(await refusal('', { model: 'no-model' })).toMatchObject({ code: 'MODEL_UNAVAILABLE' })
    expect(readdirSync(join(root.path, 'scratch'))).toEqual([])
  })
})

it('the SDK is loaded with the first program, and not before', () => {
  const sources = readFileSync(new URL('./wire/connection.ts', import.meta.url), 'utf8')
  expect(sources).not.toMatch(/^import .*agentclientprotocol/m)
})
