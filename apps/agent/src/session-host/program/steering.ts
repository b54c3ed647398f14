/**
 * Adds text to the running turn. Returns false if no program can take it there. Rejects if the program ended before it
 * confirmed: nobody knows whether it took the text, and its author decides whether to send it again.
 */
import { type BackendImage, CodedError, type CommandOf } from '@roundhouse/backend-types'
import type { ImageFiles } from '../../host-contract/image-files'
import type { RunningBackend } from './program-runner'

export class Steering {
  constructor(
    private readonly running: () => RunningBackend | null,
    private readonly images: ImageFiles,
  ) {}

  async text(text: string): Promise<boolean> {
    const running = this.running()
    return running ? steer(running, text) : false
  }

  async prompt({ promptId, text, images }: CommandOf<'prompt.send'>): Promise<boolean> {
    if (!images) return this.text(text)
    const running = this.running()
    if (!running?.adapter.steer || !running.adapter.capabilities.acceptsImages) return false
    const read = await this.images.read(promptId, images)
    const taken = await steer(running, text, read)
    if (taken) this.images.drop(promptId)
    return taken
  }
}

async function steer(
  { adapter, process, gone: { signal } }: RunningBackend,
  text: string,
  images?: readonly BackendImage[],
): Promise<boolean> {
  if (!adapter.steer) return false
  const left = new Promise<never>((_, reject) => {
    const refuse = () => reject(new CodedError('BACKEND_CRASHED', 'The program ended before it took the prompt.'))
    if (signal.aborted) refuse()
    else signal.addEventListener('abort', refuse, { once: true })
  })
  return await Promise.race([images ? adapter.steer(process, text, images) : adapter.steer(process, text), left])
}
