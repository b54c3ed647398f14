import { CodedError, IMAGE_LIMIT_BYTES, type PromptImage } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { attachImages } from './attach-images'
import type { AttachedImage } from './use-images'

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const png = (name: string, bytes = 20) => {
  const file = new Uint8Array(bytes)
  file.set(PNG)
  return new File([file], name, { type: 'text/plain' })
}

/** A composer that has `count` images, and a hub that takes what it is sent. */
function composer(count = 0, refuses: string[] = [], session: string | null = 's1') {
  let list: readonly AttachedImage[] = Array.from({ length: count }, (_, i) => ({
    key: `before-${i}`,
    name: 'x',
    image: null,
  }))
  let problems: readonly string[] = ['of before']
  const done: string[] = []
  let keys = 0
  const apply = <T>(now: T, next: T | ((before: T) => T)): T =>
    typeof next === 'function' ? (next as (before: T) => T)(now) : next
  const ports = {
    count: () => list.length,
    setList: (next: Parameters<typeof apply<typeof list>>[1]) => {
      list = apply(list, next)
    },
    setProblems: (next: Parameters<typeof apply<typeof problems>>[1]) => {
      problems = apply(problems, next)
    },
    upload: async (bytes: Uint8Array): Promise<PromptImage | null> => {
      if (session === null) return null
      if (refuses.length > 0) throw new CodedError('IMAGES_FULL', refuses.shift())
      return { imageId: `i${bytes.length}`, mediaType: 'image/png', bytes: bytes.length, sha256: '0'.repeat(64) }
    },
    newKey: () => `k${++keys}`,
    done: (file: File) => void done.push(file.name),
  }
  const attach = (...files: File[]) => attachImages(files, ports)
  return { attach, list: () => list, problems: () => problems, done }
}

describe('files that are attached', () => {
  it('[IMG-1.2] are uploaded in their order, and shown as what their first bytes say', async () => {
    const { attach, list, problems } = composer()
    await attach(png('a.txt', 20), png('b.png', 30))
    expect(list().map(({ name, image, file }) => [name, image?.imageId, file?.type])).toEqual([
      ['a.txt', 'i20', 'image/png'],
      ['b.png', 'i30', 'image/png'],
    ])
    expect(problems()).toEqual([])
  })

  it('[IMG-3.9] stay in the page where their session is not created yet', async () => {
    const { attach, list } = composer(0, [], null)
    await attach(png('a.png'))
    expect(list()).toMatchObject([{ name: 'a.png', image: null }])
  })

  it('[IMG-1.2] [IMG-1.1] are told and left out where they are no image, empty, too large, or SVG by another name', async () => {
    const { attach, list, problems, done } = composer()
    const svg = new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'logo.png', { type: 'image/png' })
    await attach(svg, new File([], 'empty.png'), png('large.png', IMAGE_LIMIT_BYTES + 1), png('good.png'))
    expect(list().map(({ name }) => name)).toEqual(['good.png'])
    expect(problems()).toEqual([
      'logo.png: This is not a PNG, JPEG, WebP or GIF image.',
      'empty.png: This is not a PNG, JPEG, WebP or GIF image.',
      'large.png: The image is larger than 5 MB.',
    ])
    expect(new Set(done)).toEqual(new Set(['logo.png', 'empty.png', 'large.png', 'good.png']))
  })

  it('[IMG-1.1] are ten at most', async () => {
    const { attach, list, problems } = composer(8)
    await attach(png('9.png'), png('10.png'), png('11.png'), png('12.png'))
    expect(list()).toHaveLength(10)
    expect(new Set(problems())).toEqual(new Set(['A prompt takes at most 10 images.']))
  })

  it('say what the hub said where it refuses one, and go on with the next', async () => {
    const { attach, list, problems } = composer(0, ['There is no room.'])
    await attach(png('a.png'), png('b.png'))
    expect(list().map(({ name }) => name)).toEqual(['b.png'])
    expect(problems()).toEqual(['a.png: There is no room.'])
  })
})
