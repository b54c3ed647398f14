/** Images of prompts, first ones too, on real processes: whoever dies between upload and delivery, the program is given each of them once. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { FailpointName } from '@roundhouse/failpoint'
import { afterEach, describe, expect, it } from 'vitest'
import { eventsOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'

let rig: Rig
afterEach(() => rig.dispose())

/** Of several chunks each. */
const files = [1, 2, 3].map((tone) => {
  const file = new Uint8Array(700_000).fill(tone)
  file.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return file
})
const seen = files.map(
  (file) => `I see image/png, ${file.length} bytes, ${createHash('sha256').update(file).digest('hex')}`,
)

async function withDeathAt(name: FailpointName, at: number) {
  const mark = path.join(freshFolder('mark'), 'fired')
  const points = { [name]: { do: 'kill', at, mark } } as const
  rig = await startRig(name.startsWith('hub') ? { hubFailpoints: points } : { agentFailpoints: points })
  return () => until(`${name} to kill`, () => existsSync(mark))
}

async function promptWithImages(sessionId: string): Promise<void> {
  const images: string[] = []
  for (const file of files) images.push((await rig.rest.uploadImage(sessionId, file)).imageId)
  const text = `What are these? SCRIPT: ${JSON.stringify([{ text: 'Three.' }])}`
  await rig.rest.prompt(sessionId, { promptId: 'p_images', text, images })
}

/** The program says what it was shown, in its order. */
async function expectSeenOnce(sessionId: string, before: readonly string[] = ['Hello.']): Promise<void> {
  const events = eventsOf(await rig.agree(sessionId))
  const said = events.flatMap((event) => (event.kind === 'assistant_text' ? [event.text] : []))
  expect(said).toEqual([...before, ...seen, 'Three.'])
  expect(events.filter(({ kind }) => kind === 'user_message')).toHaveLength(before.length + 1)
}

describe('images of a prompt', () => {
  it.each(wholeMatrix ? [1, 2] : [2])('[IMG-2.6] the daemon dies when it has %i of three', async (at) => {
    const fired = await withDeathAt('agent.image.kept', at)
    const sessionId = await rig.begin([{ text: 'Hello.' }])
    await rig.agree(sessionId)
    await promptWithImages(sessionId)
    await fired()
    await rig.system.agent.start()
    await expectSeenOnce(sessionId)
  })

  variation('[IMG-2.6] the hub dies with the prompt on its disk and not sent', async () => {
    const fired = await withDeathAt('hub.command.beforeSend', 2)
    const sessionId = await rig.begin([{ text: 'Hello.' }])
    await rig.agree(sessionId)
    await promptWithImages(sessionId)
    await fired()
    await rig.system.hub.kill()
    await rig.system.hub.start()
    await expectSeenOnce(sessionId)
  })
})

describe('images of a first prompt', () => {
  async function uploadFirst(): Promise<string[]> {
    const images: string[] = []
    for (const file of files) images.push((await rig.rest.uploadFirstImage(file)).imageId)
    return images
  }

  /** Under one key, as a page does whose hub was away. */
  async function create(images: string[]) {
    const [agent] = (await rig.rest.agents()).items
    const settings = { backend: 'scripted', workDir: rig.system.workDir }
    const prompt = scriptOf([{ text: 'Three.' }])
    return rig.rest.createSession({ agentId: agent?.agentId ?? '', settings, prompt, images }, 'one-creation')
  }

  variation('[IMG-3] the hub dies between their upload and the creation', async () => {
    rig = await startRig()
    const images = await uploadFirst()
    await rig.system.hub.kill()
    await rig.system.hub.start()
    const { sessionId } = await create(images)
    await expectSeenOnce(sessionId, [])
  })

  it.each([
    ...(wholeMatrix ? ([[1, 'nothing of it']] as const) : []),
    [2, 'the creation, and not the prompt,'],
  ] as const)(
    '[IMG-3] [CMD-1] the hub dies when both commands are on its disk, before it has sent %i: %s is sent',
    async (at) => {
      const fired = await withDeathAt('hub.command.beforeSend', at)
      const images = await uploadFirst()
      // Its answer may die with the hub.
      const first = create(images).catch(() => null)
      await fired()
      await rig.system.hub.kill()
      await rig.system.hub.start()
      const { sessionId } = await create(images)
      expect([sessionId, null]).toContain((await first)?.sessionId ?? null)
      await expectSeenOnce(sessionId, [])
      expect((await rig.rest.sessions()).items).toHaveLength(1)
    },
  )

  variation('[IMG-3] the daemon dies with two of three', async () => {
    const fired = await withDeathAt('agent.image.kept', 2)
    const { sessionId } = await create(await uploadFirst())
    await fired()
    await rig.system.agent.start()
    await expectSeenOnce(sessionId, [])
  })
})
