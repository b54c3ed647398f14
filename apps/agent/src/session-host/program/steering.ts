/**
 * Adds text to the running turn. Returns false if no program can take it there. Rejects if the program ended before it
 * confirmed: nobody knows whether it took the text, and its author decides whether to send it again. `begins` is called
 * once, in the order of the program's output, when the program begins with the text.
 */
import { type BackendImage, CodedError, type CommandOf } from '@roundhouse/backend-types'
import type { ImageFiles } from '../../host-contract/image-files'
import type { RunningBackend } from './program-runner'

export class Steering {
  constructor(
    private readonly running: () => RunningBackend | null,
    private readonly images: Pick<ImageFiles, 'read' | 'drop'>,
  ) {}

  async text(text: string, begins: () => void = () => {}): Promise<boolean> {
    const running = this.running()
    return running ? steer(running, text, begins) : false
  }

  async prompt({ promptId, text, images }: CommandOf<'prompt.send'>, begins: () => void): Promise<boolean> {
    if (!images) return this.text(text, begins)
    const running = this.running()
    if (!running?.adapter.steer || !running.adapter.capabilities.acceptsImages) return false
    const read = await this.images.read(promptId, images)
    const taken = await steer(running, text, begins, read)
    if (taken) this.images.drop(promptId)
    return taken
  }
}

function steer(
  { adapter, process, gone: { signal } }: RunningBackend,
  text: string,
  begins: () => void,
  images?: readonly BackendImage[],
): Promise<boolean> {
  if (!adapter.steer) return Promise.resolve(false)
  const steered = (heard: () => void) => adapter.steer?.(process, text, images, heard) ?? Promise.resolve(false)
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new CodedError('BACKEND_CRASHED', 'The program ended before it took the prompt.'))
    if (signal.aborted) return refuse()
    signal.addEventListener('abort', refuse, { once: true })
    let isBegun = false
    const begun = () => {
      if (isBegun || signal.aborted) return
      isBegun = true
      try {
        begins()
        resolve(true)
      } catch (error) {
        reject(error)
      }
    }
    // Not every adapter knows of `begins`.
    steered(begun).then((taken) => (taken ? begun() : resolve(false)), reject)
  })
}
