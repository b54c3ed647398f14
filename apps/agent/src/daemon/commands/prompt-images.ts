/**
 * Fetches the images of a prompt from the hub before the prompt is accepted: accepted means that they are on this disk.
 * Images that an earlier daemon fetched completely are not requested again.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  CodedError,
  type Command,
  type ImageAsked,
  type ImageChunk,
  imageTypeOf,
  type PromptImage,
} from '@roundhouse/backend-types'
import { failpoint } from '@roundhouse/failpoint'
import { writeDurably } from '../../files/write-durably'
import { ImageFiles } from '../../host-contract/image-files'
import { sessionFiles } from '../../host-contract/paths'

export class PromptImages {
  constructor(
    private readonly folder: (sessionId: string) => string,
    private readonly ask: (asked: ImageAsked) => Promise<ImageChunk>,
  ) {}

  async fetch({ sessionId, body }: Command): Promise<void> {
    if (body.kind !== 'prompt.send' || !body.images) return
    const files = this.filesOf(sessionId)
    for (const image of body.images) {
      const file = files.file(body.promptId, image)
      if (isThat(image, await readFile(file).catch(() => Buffer.alloc(0)))) continue
      writeDurably(file, await this.fetchOne(sessionId, image))
      failpoint('agent.image.kept')
    }
  }

  /** The prompt was not accepted. */
  forget({ sessionId, body }: Command): void {
    if (body.kind === 'prompt.send' && body.images) this.filesOf(sessionId).drop(body.promptId)
  }

  private filesOf(sessionId: string): ImageFiles {
    return new ImageFiles(sessionFiles(this.folder(sessionId)).images)
  }

  private async fetchOne(sessionId: string, image: PromptImage): Promise<Buffer> {
    const chunks: Buffer[] = []
    for (let from = 0; from < image.bytes; ) {
      const { data } = await this.ask({ sessionId, imageId: image.imageId, from })
      const chunk = Buffer.from(data, 'base64')
      if (chunk.length === 0) throw notWhole()
      chunks.push(chunk)
      from += chunk.length
    }
    const whole = Buffer.concat(chunks)
    if (!isThat(image, whole)) throw notWhole()
    return whole
  }
}

const notWhole = () => new CodedError('IMAGE_INVALID', 'The hub sent a different image than it announced.')

function isThat({ bytes, sha256, mediaType }: PromptImage, file: Buffer): boolean {
  const isSame = file.length === bytes && createHash('sha256').update(file).digest('hex') === sha256
  return isSame && imageTypeOf(file) === mediaType
}
