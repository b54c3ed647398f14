import { describe, expect, it } from 'vitest'
import { pixels } from '../../../../../../packages/adapter-testkit/src/fixtures/pixels'
import { imagesIn, imagesInText } from './images-in'

const ofClaude = { type: 'image', source: { type: 'base64', media_type: 'image/svg+xml', data: pixels.png } }
const ofMcp = { type: 'image', data: pixels.jpeg, mimeType: 'text/html' }
const words = { type: 'text', text: 'Here it is.' }

describe('images in what a tool gave back', () => {
  it('[LOG-6] are found as the programs send them, and are what their first bytes say', () => {
    const { images, rest } = imagesIn([words, ofClaude, ofMcp])
    expect(images.map(({ type }) => type)).toEqual(['image/png', 'image/jpeg'])
    expect(Buffer.from(images[0]?.bytes ?? []).toString('base64')).toBe(pixels.png)
    expect(rest).toEqual([words])
    expect(imagesIn({ content: [ofMcp] }).images).toHaveLength(1)
    expect(imagesInText(JSON.stringify([words, ofMcp]))).toHaveLength(1)
  })

  it('[LOG-6] are not what only says that it is one: SVG, no base64, a text', () => {
    const svg = { type: 'image', data: Buffer.from('<svg/>').toString('base64') }
    for (const block of [svg, { type: 'image', data: '%%%' }, { type: 'image' }, words, null, 'image'])
      expect(imagesIn([block]), JSON.stringify(block)).toEqual({ images: [], rest: [block] })
    for (const output of ['text', null, undefined, 7, { content: 'x' }])
      expect(imagesIn(output)).toEqual({ images: [], rest: output })
    expect(imagesInText('{"broken')).toEqual([])
    expect(imagesInText('no JSON')).toEqual([])
  })
})
