import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError, type Command, type ImageAsked, type PromptImage } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/index'
import { PromptImages } from './prompt-images'

const png = (bytes: number, tone = 1): Buffer => {
  const file = Buffer.alloc(bytes, tone)
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(file)
  return file
}
const imageOf = (imageId: string, file: Buffer): PromptImage => ({
  imageId,
  mediaType: 'image/png',
  bytes: file.length,
  sha256: createHash('sha256').update(file).digest('hex'),
})

describe('the images of a prompt', () => {
  let dir: TempDir
  let asked: ImageAsked[]
  /** What the hub has. */
  let files: Map<string, Buffer>
  let images: PromptImages
  beforeEach(() => {
    dir = tempDir('images')
    asked = []
    files = new Map([
      ['i1', png(250, 1)],
      ['i2', png(90, 2)],
    ])
    images = new PromptImages(
      () => dir.path,
      async (ask) => {
        asked.push(ask)
        const chunk = files.get(ask.imageId)?.subarray(ask.from, ask.from + 100)
        if (!chunk) throw new CodedError('IMAGE_NOT_FOUND')
        return { data: chunk.toString('base64') }
      },
    )
  })
  afterEach(() => dir.remove())

  const prompt = (sent: PromptImage[]): Command => ({
    commandId: 'c1',
    sessionId: 's1',
    author: { userId: 'u1', name: 'Ana' },
    createdAt: 1,
    body: { kind: 'prompt.send', promptId: 'p1', text: 'look', images: sent },
  })
  const both = () => prompt([...files].map(([imageId, file]) => imageOf(imageId, file)))
  const fileOf = (imageId: string) => join(dir.path, 'images', 'p1', imageId)

  it('[IMG-2.2] are fetched chunk by chunk, and lie in a folder of their prompt', async () => {
    await images.fetch(both())
    expect(asked.map(({ imageId, from }) => [imageId, from])).toEqual([
      ['i1', 0],
      ['i1', 100],
      ['i1', 200],
      ['i2', 0],
    ])
    for (const [imageId, file] of files) expect(readFileSync(fileOf(imageId)).equals(file)).toBe(true)
  })

  it('[IMG-2.6] that are here whole are not asked for again; one that is not is', async () => {
    await images.fetch(both())
    writeFileSync(fileOf('i2'), png(90, 3))
    asked = []
    await images.fetch(both())
    expect(asked.map(({ imageId }) => imageId)).toEqual(['i2'])
  })

  it('[IMG-2.4] are those that the hub announced: another file, or one that is no image, is refused', async () => {
    const other = prompt([{ ...imageOf('i1', png(250, 9)) }])
    await expect(images.fetch(other)).rejects.toMatchObject({ code: 'IMAGE_INVALID' })
    files.set('i1', Buffer.from('<svg/>'))
    const svg = prompt([imageOf('i1', Buffer.from('<svg/>'))])
    await expect(images.fetch(svg)).rejects.toMatchObject({ code: 'IMAGE_INVALID' })
    expect(existsSync(fileOf('i1'))).toBe(false)
  })

  it('[IMG-2] an empty chunk ends the asking', async () => {
    const longer = prompt([{ ...imageOf('i2', png(90, 2)), bytes: 300 }])
    await expect(images.fetch(longer)).rejects.toMatchObject({ code: 'IMAGE_INVALID' })
    expect(asked).toHaveLength(2)
  })

  it('[IMG-2] go with a prompt that was not taken', async () => {
    await images.fetch(both())
    images.forget(both())
    expect(existsSync(fileOf('i1'))).toBe(false)
  })
})
