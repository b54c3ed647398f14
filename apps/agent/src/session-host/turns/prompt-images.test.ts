import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Step, script } from '@roundhouse/adapter-scripted'
import type { PromptImage } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostWorld } from '../../testing/host-world'

const file = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const sha256 = createHash('sha256').update(file).digest('hex')
const image: PromptImage = { imageId: 'i1', mediaType: 'image/png', bytes: file.length, sha256 }
const seen = `I see image/png, ${file.length} bytes, ${sha256}`

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

describe('a prompt with images', () => {
  const folderOf = (promptId: string) => join(world.files.images, promptId)
  const fetched = (promptId: string) => {
    mkdirSync(folderOf(promptId), { recursive: true })
    writeFileSync(join(folderOf(promptId), image.imageId), file)
  }
  const prompt = (promptId: string, steps: Step[] = [{ text: 'Seen.' }]) =>
    world.command({ kind: 'prompt.send', promptId, text: script(steps), images: [image] })
  const saidTexts = () => world.of('assistant_text').map(({ text }) => text)

  it('[IMG-2.7] [IMG-2.9] [IMG-2.8] gives its program each image once, says in the log that nobody redacted it, and keeps no copy', async () => {
    const host = await world.open()
    await host.run(world.create({}))
    fetched('p1')
    await host.run(prompt('p1'))
    await host.status('idle')
    expect(saidTexts()).toEqual([seen, 'Seen.'])
    expect(world.of('user_message')[0]).toMatchObject({ promptId: 'p1', images: [{ ...image, redacted: false }] })
    expect(existsSync(folderOf('p1'))).toBe(false)
  })

  it('[IMG-2.8] waits in the queue with its images, over the end of its host, and loses them where it is removed', async () => {
    const launched = world.start()
    const host = await world.attach(launched)
    await host.run(world.create({}))
    await host.client.command(
      world.command({ kind: 'prompt.send', promptId: 'p0', text: script([{ hang: true, text: 'x' }]) }),
    )
    for (const promptId of ['p1', 'p2']) {
      fetched(promptId)
      await host.client.command(prompt(promptId))
    }
    const queue = await host.until(() =>
      host.states.at(-1)?.queue.length === 2 ? host.states.at(-1)?.queue : undefined,
    )
    expect(queue[0]).toMatchObject({ promptId: 'p1', images: [image] })
    await host.run(world.command({ kind: 'queue.remove', promptId: 'p2', rev: 0 }))
    expect(existsSync(folderOf('p2'))).toBe(false)
    process.kill(launched.pid, 'SIGKILL')
    await launched.exited
    await world.guardIsDone()
    const next = await world.open()
    await next.client.command(world.command({ kind: 'queue.release' }))
    await next.until(() => saidTexts().includes('Seen.'))
    expect(saidTexts().filter((text) => text === seen)).toHaveLength(1)
  })

  it('[IMG-2] whose images are gone fails, and its program hears nothing of it', async () => {
    const host = await world.open()
    await host.run(world.create({}))
    await host.run(prompt('p1'))
    expect(world.of('turn_completed')[0]).toMatchObject({ reason: 'failed', error: { code: 'IMAGE_NOT_FOUND' } })
    expect(saidTexts()).toEqual([])
  })
})
