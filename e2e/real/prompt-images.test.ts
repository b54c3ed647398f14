/** Images of prompts from upload to model, through hub, daemon and host, on the real programs. */
import { describe, expect, it } from 'vitest'
import { pixels } from '../../packages/adapter-testkit/src/fixtures/pixels'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { scriptOf, startRig } from '../support/rigs/rig'
import { playedOn } from '../support/rigs/whole-matrix'
import { askedWith, Resumed } from './resumed'

const missing = await missingReason('claude')

describe.skipIf(missing !== null)(`images of a prompt${missing === null ? '' : ` (${missing})`}`, () => {
  it.each(playedOn('claude'))(
    '[IMG-1] [IMG-2] [%s] reach the model as uploaded, stand in the log, and come back from the hub',
    async (kind) => {
      const rig = await startRig({ kind })
      try {
        const session = await Resumed.begun(rig)
        const { sessionId } = session
        const files = [pixels.png, pixels.jpeg, pixels.webp].map((data) => Uint8Array.from(Buffer.from(data, 'base64')))
        const uploaded = []
        for (const file of files) uploaded.push(await rig.rest.uploadImage(sessionId, file))
        const images = uploaded.map(({ imageId }) => imageId)
        const text = scriptOf([{ text: 'Three.' }])
        const prompt = await rig.rest.prompt(sessionId, { promptId: 'p_images', text, images })
        expect(await session.endOf(prompt)).toMatchObject({ reason: 'completed' })

        const [asked = ''] = askedWith(rig, 'Three.')
        expect(imagesIn(asked)).toEqual([pixels.png, pixels.jpeg, pixels.webp])
        const [message] = session.of('user_message').slice(-1)
        expect(message?.images).toEqual(uploaded.map((image) => ({ ...image, redacted: false })))
        for (const [index, imageId] of images.entries())
          expect(new Uint8Array(await rig.rest.image(sessionId, imageId))).toEqual(files[index])
        await rig.agree(sessionId)
      } finally {
        await rig.dispose()
      }
    },
  )

  it.each(playedOn('codex'))('[IMG-3] [%s] of a first prompt reach the model with it', async (kind) => {
    const rig = await startRig({ kind })
    try {
      const images: string[] = []
      for (const data of [pixels.png, pixels.webp])
        images.push((await rig.rest.uploadFirstImage(Uint8Array.from(Buffer.from(data, 'base64')))).imageId)
      const agent = await until('the machine to know its program', async () => {
        const [one] = (await rig.rest.agents()).items
        return one?.manifest?.backends.some((backend) => backend.kind === kind && backend.installed) && one
      })
      const { sessionId } = await rig.rest.createSession({
        agentId: agent.agentId,
        settings: { backend: kind, workDir: rig.system.workDir },
        prompt: scriptOf([{ text: 'Two.' }]),
        images,
      })
      await until('the session to have a log', () => rig.stored(sessionId) > 0)
      const session = new Resumed(rig, sessionId)
      await session.turns(1)
      const [asked = ''] = askedWith(rig, 'Two.')
      expect(imagesIn(asked)).toEqual([pixels.png, pixels.webp])
      const messages = session.of('user_message')
      expect(messages.map((message) => message.images?.map(({ imageId }) => imageId))).toEqual([images])
      await rig.agree(sessionId)
    } finally {
      await rig.dispose()
    }
  })
})

const imagesIn = (asked: string) =>
  [...asked.matchAll(/base64,([^"]+)"|"data":"([^"]+)"/g)].map(([, url, data]) => url ?? data)
