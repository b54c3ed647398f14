/**
 * Limits how many chunks are in flight from a machine at once. The link carries transcripts, so only a few chunks may
 * delay them, however many people read. A caller that finds no room gets an error and asks again.
 */
import { CodedError } from '@roundhouse/backend-types'

export const artifactLimits = { perMachine: 2, perPerson: 2, waitingAtMachine: 16 } as const

interface Machine {
  running: number
  waiting: Array<() => void>
}

export class ArtifactLane {
  readonly #machines = new Map<string, Machine>()
  readonly #people = new Map<string, number>()

  async run<T>(agentId: string, userId: string, work: () => Promise<T>): Promise<T> {
    const machine = this.#machines.get(agentId) ?? { running: 0, waiting: [] }
    const held = this.#people.get(userId) ?? 0
    if (held >= artifactLimits.perPerson || machine.waiting.length >= artifactLimits.waitingAtMachine)
      throw new CodedError('RATE_LIMITED', 'Too much is being read from this machine at once.', {
        retryAfterSeconds: 1,
      })
    this.#machines.set(agentId, machine)
    this.#people.set(userId, held + 1)
    try {
      await this.#enter(machine)
      try {
        return await work()
      } finally {
        this.#leave(agentId, machine)
      }
    } finally {
      this.#release(userId)
    }
  }

  async #enter(machine: Machine): Promise<void> {
    if (machine.running < artifactLimits.perMachine) machine.running += 1
    else await new Promise<void>((resolve) => machine.waiting.push(resolve))
  }

  /** The next waiting read takes its place. */
  #leave(agentId: string, machine: Machine): void {
    const next = machine.waiting.shift()
    if (next) {
      next()
      return
    }
    machine.running -= 1
    if (machine.running === 0) this.#machines.delete(agentId)
  }

  #release(userId: string): void {
    const held = (this.#people.get(userId) ?? 1) - 1
    if (held > 0) this.#people.set(userId, held)
    else this.#people.delete(userId)
  }
}
