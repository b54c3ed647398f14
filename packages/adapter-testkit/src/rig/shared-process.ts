/** One process for many rules, of a program that takes seconds to start. */
import type { BackendProcess } from '@roundhouse/backend-types'
import { collect, type Recorder } from './recorder'

export class SharedProcess {
  private first: Recorder | null = null
  private latest: Recorder | null = null

  constructor(private readonly isShared: boolean) {}

  keep(recorder: Recorder): void {
    if (!this.isShared) return
    this.latest = recorder
    if (this.first?.process !== recorder.process) this.first = recorder
  }

  /** Another recorder on the same process. It knows the conversation, and nothing of the turns before. */
  again(): Recorder | null {
    if (!this.first || !this.isIdle(this.first.process)) return null
    const { adapter, process } = this.first
    const recorder = collect(adapter, process)
    recorder.events.push(...this.first.all('session').slice(0, 1))
    return recorder
  }

  /** Every turn that its latest recorder saw begin has ended. */
  isIdle(process: BackendProcess): boolean {
    const { latest } = this
    return latest !== null && latest.process === process && process.isAlive() && latest.isIdle
  }

  forget(): void {
    this.first = null
    this.latest = null
  }
}
