import { describe, expect, it } from 'vitest'
import { imagesRefusal } from './images-refusal'

describe('images of a first prompt', () => {
  const program = (takes: { acceptsImages?: boolean; acceptsImagesAlone?: boolean }) =>
    ({ label: 'Demo', capabilities: takes }) as Parameters<typeof imagesRefusal>[0]
  const both = program({ acceptsImages: true, acceptsImagesAlone: true })

  it('[IMG-3] are refused, with a reason, where the program takes none', () => {
    const refusal = 'Demo on box takes no images. Remove them, or choose another program or machine.'
    expect(imagesRefusal(program({}), 'box', { count: 1, isAlone: false })).toBe(refusal)
    expect(imagesRefusal(program({}), 'box', { count: 0, isAlone: false })).toBeNull()
    expect(imagesRefusal(both, 'box', { count: 1, isAlone: false })).toBeNull()
  })

  it('[IMG-3] need a text where the program takes none alone', () => {
    const withText = program({ acceptsImages: true })
    expect(imagesRefusal(withText, 'box', { count: 1, isAlone: true })).toBe(
      'Demo on box takes images only with a text. Write one.',
    )
    expect(imagesRefusal(withText, 'box', { count: 1, isAlone: false })).toBeNull()
    expect(imagesRefusal(both, 'box', { count: 1, isAlone: true })).toBeNull()
  })
})
