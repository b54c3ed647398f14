// Slash commands on the real Codex: its app-server knows none, so the adapter turns them into requests.
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { script } from '@roundhouse/adapter-scripted'
import type { BackendConfiguration, SessionStartedInfo } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codexEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startResponsesModel } from '../../../e2e/real-backends/model-servers/openai-responses.mjs'
import { realBench } from './real-bench'
import type { Bench } from './rig/harness'
import { Recorder } from './rig/recorder'

const { codex } = await findRealBackends('codex')
const bin = 'skipped' in codex ? null : codex.bin

describe.skipIf(bin === null)('codex, the real program', { timeout: 60_000 }, () => {
  let bench: Bench
  let recorder: Recorder
  let settings: BackendConfiguration[]
  let started: SessionStartedInfo[]
  beforeEach(async () => {
    bench = await realBench({
      startModel: startResponsesModel,
      surround: codexEnvironment,
      adapterFor: createCodexAdapter,
      bin: bin ?? '',
    })
    const process = await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir })
    settings = []
    started = []
    recorder = new Recorder(bench.adapter, process)
    bench.adapter.onSettingsChanged?.(process, (change) => settings.push(change))
    bench.adapter.onSessionStarted?.(process, (info) => started.push(info))
  })
  afterEach(async () => {
    await bench.adapter.stop(recorder.process)
    await bench.dispose()
  })
  const says = (text: string) => recorder.turn(script([{ text }]))
  const asked = () => JSON.stringify(bench.requests?.().at(-1))

  it('[CMD-9] /compact makes the conversation shorter, in a turn of its own', async () => {
    await says('One.')
    const { info, outputs } = await recorder.turn('/compact')
    expect(info.reason).toBe('completed')
    const told = outputs.filter(({ kind }) => kind !== 'raw')
    expect(told).toMatchObject([{ kind: 'system', subtype: 'conversation_compacted' }])
    expect((await says('Two.')).text).toBe('Two.')
  })

  it('[CMD-9] [LOG-4] /new begins another conversation, with the settings of the session, that can be resumed', async () => {
    await says('The blue door.')
    await recorder.turn('/model another-model')
    for (const command of ['/new', '/clear']) {
      const before = started.length
      expect((await recorder.turn(command)).info.reason).toBe('completed')
      await recorder.wait(
        'output',
        ({ output }) => output.kind === 'system' && output.subtype === 'conversation_cleared',
      )
      expect(started.slice(before)).toEqual([
        { backendSessionId: expect.any(String), provisional: true, resumed: false },
      ])
    }
    await says('The red roof.')
    expect(asked()).not.toContain('The blue door.')
    expect((await bench.modelView()).model).toBe('another-model')
    const { backendSessionId = '' } = started.at(-1) ?? {}
    await bench.adapter.stop(recorder.process)
    const again = await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir, resumeId: backendSessionId })
    recorder = new Recorder(bench.adapter, again)
    await says('After all.')
    expect(asked()).toContain('The red roof.')
  })

  it('[CMD-9] [RES-7] /model and /status answer without the model, and the model is told', async () => {
    const calls = bench.requests?.().length
    const changed = await recorder.turn('/model another-model')
    expect(changed.text).toContain('Model: another-model')
    expect(settings).toEqual([{ model: 'another-model' }])
    expect((await recorder.turn('/status')).text).toContain('Sandbox: workspace-write')
    expect(bench.requests?.().length).toBe(calls)
    await says('Hello.')
    expect((await bench.modelView()).model).toBe('another-model')
    expect((await recorder.turn('/status')).text).toMatch(/Context: \d+ of \d+ tokens/)
  })

  it('[CMD-9] everything else is text, but for what its terminal would change', async () => {
    const text = `/etc/hosts is wrong ${script([{ text: 'Read.' }])}`
    expect((await recorder.turn(text)).text).toBe('Read.')
    expect((await recorder.turn(`/compact this text ${script([{ text: 'As text.' }])}`)).text).toBe('As text.')
    const refused = ['/approvals', '/mcp list', '/logout', '/compact', '/permissionless'].map(
      (typed) => bench.adapter.refusePrompt?.(typed)?.code ?? null,
    )
    expect(refused).toEqual(['POLICY_DENIED', 'POLICY_DENIED', 'POLICY_DENIED', null, null])
  })
})
