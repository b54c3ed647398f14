// An image of a prompt on the real programs of the Agent Client Protocol: its bytes reach the model.
import { createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { about } from '@roundhouse/adapter-acp/about'
import { script } from '@roundhouse/adapter-scripted'
import { describe, expect, it } from 'vitest'
import { geminiEnvironment, opencodeEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startGeminiModel } from '../../../e2e/real-backends/model-servers/gemini.mjs'
import { startChatModel } from '../../../e2e/real-backends/model-servers/openai-chat.mjs'
import { pixels } from './fixtures/pixels'
import { realBench } from './real-bench'
import { collect } from './rig/recorder'

const found = await findRealBackends('opencode', 'gemini')
const programs = {
  opencode: { startModel: startChatModel, surround: opencodeEnvironment },
  gemini: { startModel: startGeminiModel, surround: geminiEnvironment },
} as const

describe.each(['opencode', 'gemini'] as const)('the real %s', (kind) => {
  const program = found[kind]
  it.skipIf('skipped' in program)('hands an image to the model', { timeout: 90_000 }, async () => {
    const bench = await realBench({
      ...programs[kind],
      adapterFor: (place) => createAcpAdapter({ ...about[kind], profile: profiles[kind] }, place),
      bin: 'bin' in program ? program.bin : '',
    })
    try {
      const recorder = collect(bench.adapter, await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir }))
      bench.adapter.send(recorder.process, script([{ text: 'Seen.' }]), [{ mediaType: 'image/png', data: pixels.png }])
      await recorder.wait('turn_completed')
      await bench.adapter.stop(recorder.process)
      expect(JSON.stringify(bench.requests?.())).toContain(pixels.png)
    } finally {
      await bench.dispose()
    }
  })
})
