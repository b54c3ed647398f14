/** What goes into the running turn. False: there is no program that takes it there. */
import type { CommandOf } from '@roundhouse/backend-types'
import type { ImageFiles } from '../../host-contract/image-files'
import type { RunningBackend } from './backend-slot'

export class Steering {
  constructor(
    private readonly running: () => RunningBackend | null,
    private readonly images: ImageFiles,
  ) {}

  async text(text: string): Promise<boolean> {
    const running = this.running()
    return running?.adapter.steer ? running.adapter.steer(running.process, text) : false
  }

  async prompt({ promptId, text, images }: CommandOf<'prompt.send'>): Promise<boolean> {
    if (!images) return this.text(text)
    const running = this.running()
    if (!running?.adapter.steer || !running.adapter.capabilities.acceptsImages) return false
    const read = await this.images.read(promptId, images)
    const taken = await running.adapter.steer(running.process, text, read)
    if (taken) this.images.drop(promptId)
    return taken
  }
}
