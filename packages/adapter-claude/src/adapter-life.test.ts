import { existsSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Recorder } from '@roundhouse/adapter-testkit'
import { describe, expect, it } from 'vitest'
import { code, fake, folder, running, type Setup, setup } from './testing/fake-program'

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

async function appears(file: string): Promise<void> {
  while (!existsSync(file)) await new Promise((resolve) => setImmediate(resolve))
}

const told = (recorder: Recorder) =>
  recorder
    .all('output')
    .flatMap(({ output }) => (output.kind === 'system' && output.subtype === 'told' ? [output.data] : []))

describe('a change', () => {
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
  })

  it('[CAP-4.1] [CAP-4.6] to a model that the program refuses names the model, as the setting that was refused', async () => {
    const { adapter, process } = await running()
    await expect(adapter.configure?.(process, { model: 'bad' })).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: 'The model "bad" was not set: No such model.',
      details: { field: 'model', model: 'bad' },
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
    expect(await ask('rewindFiles', { userMessageId: 'u', dryRun: true })).toEqual({
      told: { subtype: 'rewind_files', user_message_id: 'u', dry_run: true },
    })
    await expect(ask('rewindFiles')).rejects.toEqual(code('INVALID_ARGUMENT'))
    await expect(ask('formatDisk')).rejects.toEqual(code('UNSUPPORTED'))
  })

  it('[CMD-11.3] that set something are changes, with what holds for those', async () => {
    const { adapter, process, recorder } = await running()
    const ask = (method: string, params?: unknown) => adapter.query?.(process, method, params)
    expect(await ask('setModel', { model: 'opus' })).toBeNull()
    expect(await ask('setPermissionMode', { mode: 'plan' })).toBeNull()
    expect(await ask('setMaxThinkingTokens', { maxThinkingTokens: 2_048 })).toBeNull()
    expect(await ask('setMaxThinkingTokens', {})).toBeNull()
    expect(told(recorder)).toEqual([
      { request: { subtype: 'set_model', model: 'opus' } },
      { request: { subtype: 'set_permission_mode', mode: 'plan' } },
      { request: { subtype: 'set_max_thinking_tokens', max_thinking_tokens: 2_048 } },
      { request: { subtype: 'set_max_thinking_tokens', max_thinking_tokens: null } },
    ])
    await expect(ask('setPermissionMode', { mode: 'bypassPermissions' })).rejects.toEqual(code('UNSUPPORTED'))
    await expect(ask('setPermissionMode')).rejects.toEqual(code('INVALID_ARGUMENT'))
  })

  it('of a program with full access do not switch to bypass, which needs a restart', async () => {
    const { adapter, process } = await running({ options: { sandbox: 'full-access' } })
    const asked = adapter.query?.(process, 'setPermissionMode', { mode: 'bypassPermissions' })
    await expect(asked).rejects.toMatchObject({ code: 'UNSUPPORTED', details: { method: 'setPermissionMode' } })
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
    expect(await reason({ start: 'no version\n\u001b[31m  Cannot find module yoga.wasm\u001b[0m\n at main' })).toEqual([
      false,
      'claude --version failed: Cannot find module yoga.wasm',
    ])
    expect(await reason({ start: `no version${'word '.repeat(70)}` })).toEqual([
      false,
      `claude --version failed: ${'word '.repeat(60)}…`,
    ])
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
