/**
 * Hosts without a place among the running programs accept commands and start nothing. A few of them stay for the next
 * prompt; the others exit at once. The prompts that they accepted wait on the disk (`WaitingNotes`).
 */
import type { HostState } from '@roundhouse/backend-types'
import { waitingCommand } from './waiting-command'

export interface CrowdedHost {
  sessionId: string
  place: boolean
  /** Something is on its way to it. */
  busy: boolean
  state: HostState | null
  leave(): Promise<unknown>
}

const MOST_SPARE = 8

export class HostCrowd {
  /** In the order in which they were first seen without anything to do. */
  private readonly spare = new Set<string>()
  private readonly leaving = new Set<string>()

  constructor(
    private readonly hosts: () => CrowdedHost[],
    private readonly note: (sessionId: string, commandId: string) => void,
    private readonly log: (line: string) => void,
  ) {}

  /** To be called whenever a host came, went, or answered a command. */
  look(): void {
    const idle = this.hosts().filter(({ place, busy, state }) => !place && !busy && state !== null)
    const ids = new Set(idle.map(({ sessionId }) => sessionId))
    for (const sessionId of this.spare) if (!ids.has(sessionId)) this.spare.delete(sessionId)
    for (const host of idle) {
      const commandId = host.state && waitingCommand(host.state)
      if (commandId) this.park(host, commandId)
      else this.spare.add(host.sessionId)
    }
    const tooMany = [...this.spare].slice(0, Math.max(0, this.spare.size - MOST_SPARE))
    for (const host of idle) if (tooMany.includes(host.sessionId)) this.leave(host)
  }

  /** Only once it is on the disk that somebody waits. */
  private park(host: CrowdedHost, commandId: string): void {
    try {
      this.note(host.sessionId, commandId)
    } catch (error) {
      this.log(
        `${host.sessionId}: its host keeps running, because the disk refused the note of a waiting prompt: ${String(error)}`,
      )
      return
    }
    this.leave(host)
  }

  private leave(host: CrowdedHost): void {
    if (this.leaving.has(host.sessionId)) return
    this.leaving.add(host.sessionId)
    host
      .leave()
      .catch((error: unknown) => this.log(`${host.sessionId}: its host did not exit: ${String(error)}`))
      .finally(() => this.leaving.delete(host.sessionId))
  }
}
