// Images of prompts on the real programs: the bytes reach the model, and the prompt is found again in the transcript.
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { script } from '@roundhouse/adapter-scripted'
import type { BackendImage } from '@roundhouse/backend-types'
import { afterEach, describe, expect, it } from 'vitest'
import { claudeEnvironment, codexEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { startResponsesModel } from '../../../e2e/real-backends/model-servers/openai-responses.mjs'
import type { ModelServer } from '../../../e2e/real-backends/model-servers/server.mjs'
import { pixels } from './fixtures/pixels'
import { Recorder } from './rig/recorder'

const { claude, codex } = await findRealBackends('claude', 'codex')
const programs = {
  claude: {
    bin: 'skipped' in claude ? null : claude.bin,
    startModel: startAnthropicModel,
    surround: claudeEnvironment,
    create: createClaudeAdapter,
  },
  codex: {
    bin: 'skipped' in codex ? null : codex.bin,
    startModel: startResponsesModel,
    surround: codexEnvironment,
    create: createCodexAdapter,
  },
}

const open: Array<() => unknown> = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const images: BackendImage[] = [
  { mediaType: 'image/png', data: pixels.png },
  { mediaType: 'image/gif', data: pixels.gif },
  { mediaType: 'image/jpeg', data: pixels.jpeg },
  { mediaType: 'image/webp', data: pixels.webp },
]

/** The images that the model was given last. */
function imagesGivenBy(model: ModelServer): BackendImage[] {
  const given = JSON.stringify(model.requests.findLast(({ scripted }) => scripted)?.body)
  const sent = [
    ...given.matchAll(/"type":"base64","media_type":"([^"]+)","data":"([^"]+)"/g),
    ...given.matchAll(/data:(image\/[a-z]+);base64,([^"]+)/g),
  ]
  return sent.map(([, mediaType = '', data = '']) => ({ mediaType: mediaType as BackendImage['mediaType'], data }))
}

describe.each(['claude', 'codex'] as const)('%s, the real program', (kind) => {
  const { bin, startModel, surround, create } = programs[kind]

  async function begin() {
    const model = await startModel()
    const { env, workDir, scratchDir, remove } = surround(model.url)
    open.push(remove, model.close)
    const adapter = create({ env, scratchDir, binaryPath: bin ?? '', roots: [workDir] })
    const spawned = await adapter.spawn({ sessionId: 's', workDir })
    open.push(() => adapter.stop(spawned))
    const recorder = new Recorder(adapter, spawned)
    /** Once it has ended. */
    const promptsRead = async () => {
      await adapter.stop(spawned)
      const read = await adapter.readSession?.(recorder.all('session')[0]?.backendSessionId ?? '')
      return read?.filter((output) => output.kind === 'system' && output.subtype === 'user_message')
    }
    return { model, adapter, spawned, recorder, promptsRead }
  }

  it.skipIf(bin === null)(
    '[IMG-2] hands the bytes of images of all four kinds to the model, and its transcript has the prompt',
    async () => {
      const { model, adapter, spawned, recorder, promptsRead } = await begin()
      const prompt = script([{ text: 'Seen.' }], 'What do these show?')
      const from = recorder.events.length
      adapter.send(spawned, prompt, images)
      expect((await recorder.finish(from)).text).toBe('Seen.')
      const given = imagesGivenBy(model)
      // Codex makes a PNG of a GIF.
      const isKept = ({ mediaType }: BackendImage) => kind === 'claude' || mediaType !== 'image/gif'
      expect(given).toHaveLength(images.length)
      expect(given).toEqual(
        images.map((image) => (isKept(image) ? image : { mediaType: 'image/png', data: expect.any(String) })),
      )
      expect(await promptsRead()).toEqual([
        { kind: 'system', subtype: 'user_message', data: { text: prompt, images: images.length } },
      ])
    },
    60_000,
  )

  it.skipIf(bin === null)(
    '[IMG-1] takes images without a text, and its transcript has that prompt',
    async () => {
      const { model, adapter, spawned, recorder, promptsRead } = await begin()
      const from = recorder.events.length
      adapter.send(spawned, '', images.slice(0, 1))
      await recorder.finish(from)
      const asked = JSON.stringify(model.requests.map(({ body }) => body))
      expect(asked).toContain(pixels.png)
      expect(asked).not.toContain('"text":""')
      expect(await promptsRead()).toEqual([
        { kind: 'system', subtype: 'user_message', data: { text: '[Image]', images: 1 } },
      ])
    },
    60_000,
  )
})
