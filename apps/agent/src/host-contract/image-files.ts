/**
 * Images of a prompt lie in a folder of their own, named by the prompt: written by the daemon before the prompt is accepted,
 * read once by the host, and gone when its program was given them.
 */
import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackendImage, CodedError, type PromptImage } from '@roundhouse/backend-types'

export class ImageFiles {
  /** `folder`: of all images of the session. */
  constructor(private readonly folder: string) {}

  /** Ids are checked against their alphabet, so that neither leads out of the folder. */
  file(promptId: string, { imageId }: PromptImage): string {
    return join(this.folder, promptId, imageId)
  }

  async read(promptId: string, images: readonly PromptImage[] = []): Promise<BackendImage[]> {
    const read = images.map(async (image) => {
      const bytes = await readFile(this.file(promptId, image)).catch((cause) => {
        throw new CodedError('IMAGE_NOT_FOUND', 'The machine no longer has an image of this prompt.', {}, cause)
      })
      return { mediaType: image.mediaType, data: bytes.toString('base64') }
    })
    return Promise.all(read)
  }

  /** What cannot be removed goes with the session. */
  drop(promptId: string): void {
    try {
      rmSync(join(this.folder, promptId), { recursive: true, force: true })
    } catch {
      // The log has the prompt, whatever became of this.
    }
  }
}
