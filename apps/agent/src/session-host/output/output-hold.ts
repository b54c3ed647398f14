/**
 * Pauses the reading of the backend's output while it cannot be stored (FLOW-2): the disk refuses, or too much waits to
 * be written. The output stays in its pipe, and the program waits.
 */
import type { DiskTrouble } from '@roundhouse/backend-types'
import type { RunningBackend } from '../program/program-runner'

interface Facts {
  /** How the disk refuses, or null. */
  disk: DiskTrouble | null
  /** More waits to be written than the limit. */
  queued: boolean
  /** More is unacked than the limit. */
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

  /** Applies to a program that has just started, too. */
  apply(): void {
    const running = this.running()
    if (running) running.adapter.pauseOutput?.(running.process, this.holds)
    this.changed()
  }
}
