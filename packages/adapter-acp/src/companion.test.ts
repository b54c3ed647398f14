/** A program with a companion, against a stand-in of OpenClaw and its gateway. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allowAll, collect, markedBy, type Recorder, type TempDir, tempDir } from '@roundhouse/adapter-testkit'
import type { AdapterContext, SpawnOptions } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAcpAdapter } from './adapter'
import { profiles } from './profiles'
import { about } from './profiles/about'

const binaryPath = fileURLToPath(new URL('./testing/scripted-openclaw.mjs', import.meta.url))

let root: TempDir
let workDir: string
const started: Recorder[] = []
beforeEach(() => {
  root = tempDir('openclaw')
  workDir = folder('work')
})
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ adapter, process }) => adapter.stop(process)))
  root.remove()
})

function folder(name: string): string {
  mkdirSync(join(root.path, name), { recursive: true })
  return join(root.path, name)
}

function adapterFor(behaviour = '', context: Partial<AdapterContext> = {}, profile = profiles.openclaw) {
  const env = { PATH: process.env.PATH ?? '', HOME: root.path, SCRIPTED_OPENCLAW: behaviour }
  const place = { env, scratchDir: folder('scratch'), binaryPath, markedBy, ...context }
  return createAcpAdapter({ ...about.openclaw, profile }, place, { endGraceMs: 500, startTimeoutMs: 20_000 })
}

async function start(options: Partial<SpawnOptions> = {}, adapter = adapterFor()): Promise<Recorder> {
  const recorder = collect(adapter, await adapter.spawn({ sessionId: 's', workDir, ...options }))
  started.push(recorder)
  return recorder
}

const states = () => join(root.path, '.openclaw-roundhouse')
const kept = () => (existsSync(states()) ? readdirSync(states()).filter((name) => /^[\da-f-]{36}$/.test(name)) : [])

/** What the gateway and the program were given, in the only folder of a conversation. */
function given(command: 'gateway' | 'acp') {
  const [state = ''] = kept()
  return JSON.parse(readFileSync(join(states(), state, `${command}.json`), 'utf8'))
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const script = (...steps: object[]) => `SCRIPT: ${JSON.stringify(steps)}`
const refusal = (options: Partial<SpawnOptions>, adapter = adapterFor()) =>
  start(options, adapter).then(
    () => 'it was not refused',
    (error: unknown) => error,
  )

describe('a session of OpenClaw', () => {
  it('has a gateway of its own, on a private port and with a secret that is in no environment, and ends it', async () => {
    const recorder = await start()
    const turn = await recorder.turn(script({ tool: 'exec', input: { command: 'echo hi' } }, { text: 'On.' }), allowAll)
    expect([turn.asks.length, turn.text]).toEqual([1, 'On.'])
    const { pid, config, env } = given('gateway')
    expect(given('acp')).toMatchObject({ config })
    expect(config.gateway).toMatchObject({ mode: 'local', bind: 'loopback', auth: { mode: 'token' } })
    expect(JSON.stringify(env)).not.toContain(config.gateway.auth.token)
    expect(config.logging.file).toBe(join(env.TMPDIR, 'openclaw.log'))
    expect(isRunning(pid)).toBe(true)
    await recorder.adapter.stop(recorder.process)
    expect(isRunning(pid)).toBe(false)
    expect(readdirSync(folder('scratch'))).toEqual([])
  })

  it('asks before commands and has no other tool that acts, whatever its owner set up', async () => {
    const owners = {
      models: { providers: { mine: { apiKey: 'key' } } },
      agents: {
        defaults: { model: { primary: 'mine/best' } },
        entries: { main: { tools: { exec: { mode: 'full' } } } },
      },
      tools: { exec: { mode: 'full' }, allow: ['*'] },
      mcp: { servers: { evil: { command: '/bin/evil' } } },
      channels: { telegram: { botToken: 'x' } },
    }
    writeFileSync(join(folder('.openclaw'), 'openclaw.json'), JSON.stringify(owners))
    await start()
    const { config } = given('gateway')
    expect(config.tools).toEqual({
      allow: ['exec', 'read'],
      exec: { mode: 'ask' },
      fs: { workspaceOnly: true },
      elevated: { enabled: false },
    })
    expect(config.agents).toEqual({
      defaults: { model: { primary: 'mine/best' }, workspace: workDir, skipBootstrap: true },
    })
    expect(config.models).toEqual(owners.models)
    expect(config.commands.allowFrom).toEqual({ '*': ['nobody'] })
    expect([config.mcp, config.channels]).toEqual([undefined, undefined])
  })

  it('[POL-1] reads nothing without a command where something in its folder is denied, and runs nothing in read-only', async () => {
    const deny = { tools: ['image'], paths: [join(workDir, 'secret')] }
    await start({}, adapterFor('', { deny }))
    expect(given('gateway').config.tools).toMatchObject({ allow: ['exec'], deny: ['image'] })
    await Promise.all(started.splice(0).map(({ adapter, process }) => adapter.stop(process)))
    root.remove()
    mkdirSync(workDir, { recursive: true })
    await start({ sandbox: 'read-only' })
    expect(given('gateway').config.tools.allow).toEqual(['read'])
  })

  it('continues its conversation in the same folder, with another gateway', async () => {
    const first = await start()
    await first.turn(script({ text: 'Once.' }))
    const resumeId = first.all('session')[0]?.backendSessionId
    const before = given('gateway').pid
    await first.adapter.stop(first.process)
    const again = await start({ resumeId })
    await again.turn(script({ text: 'Twice.' }))
    expect(again.all('session').map(({ backendSessionId }) => backendSessionId)).toEqual([resumeId])
    expect(given('gateway').pid).not.toBe(before)
    expect(kept()).toHaveLength(1)
  })

  it('of which nothing is kept cannot continue, and leaves nothing behind', async () => {
    expect(await refusal({ resumeId: 'nobody-knows' })).toMatchObject({ code: 'RESUME_UNAVAILABLE' })
    expect(await refusal({ resumeId: '../../etc' })).toMatchObject({ code: 'RESUME_UNAVAILABLE' })
    expect(readdirSync(folder('scratch'))).toEqual([])
  })

  it('does not start without its gateway, says why, and leaves nothing behind', async () => {
    expect(await refusal({}, adapterFor('no-gateway'))).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: 'The gateway of OpenClaw ended at once (78). Gateway failed to start: the port is taken',
    })
    expect([readdirSync(folder('scratch')), kept()]).toEqual([[], []])
  })

  it('ends with its gateway, with what that said last', async () => {
    const recorder = await start({}, adapterFor('gateway-dies'))
    recorder.adapter.send(recorder.process, script({ hang: true }))
    const { info } = await recorder.wait('exit')
    expect(info?.stderrTail).toBe('The gateway of OpenClaw ended (7). out of memory')
  })

  it('is not started where its owner’s configuration cannot be read', async () => {
    writeFileSync(join(folder('.openclaw'), 'openclaw.json'), '{ // mine\n }')
    expect(await refusal({})).toMatchObject({ code: 'BACKEND_UNAVAILABLE', message: /is not plain JSON/ })
    expect(readdirSync(folder('scratch'))).toEqual([])
  })

  it('a session cannot name another gateway or another configuration', async () => {
    for (const name of ['OPENCLAW_GATEWAY_URL', 'OPENCLAW_CONFIG_PATH'])
      expect(await refusal({ env: { [name]: 'x' } })).toMatchObject({ code: 'POLICY_DENIED' })
  })
})

it('the gateway that the owner already runs is nobody’s who asks, and its front writes no log for all users to read', async () => {
  const profile = profiles['openclaw-gateway']
  const adapter = adapterFor('', {}, profile)
  expect(adapter.capabilities.supportsPermissions).toBe(false)
  const config = profile.launch?.privateConfig?.of({
    options: { sessionId: 's' },
    workDir,
    tmpDir: '/scratch/t',
    deny: undefined,
    owners: {},
    trustProjectConfig: false,
  })
  expect(config).toEqual({ gateway: { mode: 'remote' }, logging: { file: '/scratch/t/openclaw.log' } })
})
