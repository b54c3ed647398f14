/**
 * What cannot be written must not be read (FLOW-2): while the disk refuses, or too much waits, the backend's output is
 * left in its pipe, and the program waits there.
 */
import type { DiskTrouble } from '@roundhouse/backend-types'
import type { RunningBackend } from '../program/program-runner'

interface Facts {
  /** The disk refuses, and how. */
  disk: DiskTrouble | null
  /** More waits to be written than may. */
  queued: boolean
  /** More is written than the hub has taken. */
  unacked: boolean
}

export class OutputHold {
  private facts: Facts = { disk: null, queued: false, unacked: false }

  constructor(
    private readonly running: () => RunningBackend | null,
    private readonly changed: () => void,
  ) {}

  get disk(): DiskTrouble | null {
    return this.facts.disk
  }

  get stalled(): boolean {
    return this.disk !== null
  }

  get backlog(): boolean {
    return this.facts.queued || this.facts.unacked
  }

  get holds(): boolean {
    return this.stalled || this.backlog
  }

  set(facts: Partial<Facts>): void {
    this.facts = { ...this.facts, ...facts }
    this.apply()
  }

  /** Also for a program that has just been started. */
  apply(): void {
    const running = this.running()
    if (running) running.adapter.pauseOutput?.(running.process, this.holds)
    this.changed()
  }
}
