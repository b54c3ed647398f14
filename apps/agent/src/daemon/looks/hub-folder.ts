/** The real path of the data folder of a hub on this machine (POL-4). Its disk is not the agent's and may not answer (FLOW-7). */
import path from 'node:path'
import { type LookEntries, lookNow } from './look-now'
import type { PathLooker } from './path-looker'

export class HubFolder {
  private readonly written: string | undefined
  private real: string | undefined

  constructor(
    folder: string | undefined,
    entries: LookEntries,
    private readonly looker: PathLooker,
  ) {
    this.written = folder ? path.resolve(folder) : undefined
    this.real = this.written
    if (this.written === undefined) return
    try {
      this.real = lookNow(entries, { look: 'place', place: this.written }) ?? this.written
    } catch {
      // The next call looks again.
    }
  }

  /** The path when the folder last answered. */
  get current(): string | undefined {
    return this.real
  }

  async lookAgain(): Promise<void> {
    if (this.written === undefined) return
    try {
      this.real = await this.looker.see({ look: 'place', place: this.written })
    } catch {
      // The previous path stays.
    }
  }
}
