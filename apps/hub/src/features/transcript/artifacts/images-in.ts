/**
 * Finds images in a tool's result: content blocks in the formats of Claude Code and of MCP servers. Their first bytes decide
 * the type. Pure.
 */
import { type ImageType, imageTypeOf } from '@roundhouse/backend-types'

export interface FoundImage {
  type: ImageType
  bytes: Uint8Array<ArrayBuffer>
}

const MOST_IMAGES = 20

export interface Looked {
  images: FoundImage[]
  /** The output without the images. */
  rest: unknown
}

export function imagesIn(output: unknown): Looked {
  const blocks = blocksOf(output)
  if (!blocks) return { images: [], rest: output }
  const found = blocks.map(imageOf)
  const images = found.flatMap((image) => image ?? []).slice(0, MOST_IMAGES)
  if (images.length === 0) return { images, rest: output }
  return { images, rest: blocks.filter((_, index) => !found[index]) }
}

/** For a text that may be the JSON of such an output. */
export function imagesInText(text: string): FoundImage[] {
  if (!/^\s*[[{]/.test(text)) return []
  try {
    return imagesIn(JSON.parse(text)).images
  } catch {
    return []
  }
}

function blocksOf(output: unknown): unknown[] | null {
  if (Array.isArray(output)) return output
  const content = (output as { content?: unknown } | null | undefined)?.content
  return Array.isArray(content) ? content : null
}

function imageOf(block: unknown): FoundImage | null {
  if (typeof block !== 'object' || block === null || (block as { type?: unknown }).type !== 'image') return null
  const { data, source } = block as { data?: unknown; source?: { data?: unknown } }
  const base64 = typeof data === 'string' ? data : source?.data
  const bytes = typeof base64 === 'string' ? bytesOf(base64) : null
  const type = bytes && imageTypeOf(bytes)
  return type ? { type, bytes } : null
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}
