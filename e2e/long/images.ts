/** Images of all kinds that a prompt takes, each unlike any other, and where a conversation holds some. */
import { createHash } from 'node:crypto'
import { type ImageType, imageTypeOf } from '@roundhouse/backend-types'
import { pixels } from '../../packages/adapter-testkit/src/fixtures/pixels'

export const imageKinds = Object.keys(pixels) as Array<keyof typeof pixels>
export type ImageKind = (typeof imageKinds)[number]

export type Image = Uint8Array<ArrayBuffer>

/** What follows the end of an image changes nothing of it. `bytes`: so many follow, at least. */
export function imageOf(kind: ImageKind, name: string, bytes = 0): Image {
  const end = Buffer.concat([Buffer.from(` ${name} `), Buffer.alloc(bytes, name)])
  return Uint8Array.from(Buffer.concat([Buffer.from(pixels[kind], 'base64'), end]))
}

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

interface FoundImage {
  type: ImageType
  digest: string
}

/** All images within a value, in the forms in which programs and MCP servers hold them. */
export function imagesWithin(value: unknown): FoundImage[] {
  if (typeof value === 'string') {
    const base64 = /^data:image\/[a-z]+;base64,(.+)$/s.exec(value)?.[1] ?? value
    const bytes = /^[A-Za-z0-9+/]{40,}={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : null
    const type = bytes && imageTypeOf(bytes)
    return type ? [{ type, digest: digestOf(bytes) }] : []
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(imagesWithin) : []
}
