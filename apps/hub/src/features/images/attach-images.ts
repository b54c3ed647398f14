/**
 * Attaches files as images, one after another, and uploads them if their session exists. A file that is not an image, is too
 * large, or is one too many is reported and left out before anything is sent. The hub checks again.
 */
import {
  errorTable,
  IMAGE_LIMIT_BYTES,
  IMAGES_PER_PROMPT,
  imageTypeOf,
  type PromptImage,
  toCodedError,
} from '@roundhouse/backend-types'
import type { AttachedImage, ImageDraft } from './use-images'

export interface AttachPorts extends Pick<ImageDraft, 'setList' | 'setProblems'> {
  count: () => number
  /** Null: the image stays on this page until its session is created. */
  upload: (bytes: Uint8Array<ArrayBuffer>) => Promise<PromptImage | null>
  newKey: () => string
  /** The file is in the list or was reported. */
  done: (file: File) => void
}

export async function attachImages(files: readonly File[], ports: AttachPorts): Promise<void> {
  ports.setProblems([])
  let left = IMAGES_PER_PROMPT - ports.count()
  for (const file of files) {
    if (left === 0) tell(ports, errorTable.TOO_MANY_IMAGES.title)
    else if (await attachOne(file, ports)) left -= 1
    ports.done(file)
  }
}

async function attachOne(file: File, ports: AttachPorts): Promise<boolean> {
  if (file.size > IMAGE_LIMIT_BYTES) return tell(ports, `${file.name}: ${errorTable.IMAGE_TOO_LARGE.title}`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const type = imageTypeOf(bytes)
  if (!type) return tell(ports, `${file.name}: ${errorTable.IMAGE_INVALID.title}`)
  const key = ports.newKey()
  const name = file.name || 'pasted image'
  // Drawn by its real type, not by the type that its name claims.
  const entry: AttachedImage = { key, name, file: new Blob([bytes], { type }), image: null }
  ports.setList((before) => [...before, entry])
  ports.done(file)
  try {
    const image = await ports.upload(bytes)
    ports.setList((before) => before.map((one) => (one.key === key ? { ...one, image } : one)))
    return true
  } catch (error) {
    ports.setList((before) => before.filter((one) => one.key !== key))
    return tell(ports, `${name}: ${toCodedError(error).message}`)
  }
}

function tell({ setProblems }: AttachPorts, problem: string): false {
  setProblems((before) => [...before, problem])
  return false
}
