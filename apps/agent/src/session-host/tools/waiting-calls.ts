/**
 * Tool calls that wait for a command of an orchestrator. A call ends with its answer, when its program gives up, when its time is
 * over, or with the turn that it belongs to; from then on no command goes to it.
 */
import { setTimeout as delay } from 'node:timers/promises'

export interface OrchestratorCommand {
  commandId: string
  name: 'approve' | 'reject' | 'set_phase'
  /** Which request it answers. */
  correlationId?: string | undefined
  data: Record<string, unknown>
}

export type Waited = { kind: 'command'; command: OrchestratorCommand } | { kind: 'timeout' } | { kind: 'withdrawn' }

interface WaitingCall {
  /** Null: it takes each command. */
  requestId: string | null
  take(command: OrchestratorCommand): void
  drop(): void
}

export class WaitingCalls {
  private readonly open = new Set<WaitingCall>()

  /** `requestId` null: waits for the next command, whatever it answers. */
  wait(requestId: string | null, withdrawn: AbortSignal, timeoutMs?: number): Promise<Waited> {
    return new Promise((resolve) => {
      const patience = new AbortController()
      const end = (waited: Waited) => {
        this.open.delete(call)
        withdrawn.removeEventListener('abort', drop)
        patience.abort()
        resolve(waited)
      }
      const drop = () => end({ kind: 'withdrawn' })
      const call: WaitingCall = { requestId, take: (command) => end({ kind: 'command', command }), drop }
      if (withdrawn.aborted) return resolve({ kind: 'withdrawn' })
      withdrawn.addEventListener('abort', drop, { once: true })
      this.open.add(call)
      if (timeoutMs === undefined) return
      delay(timeoutMs, undefined, { signal: patience.signal, ref: false }).then(
        () => end({ kind: 'timeout' }),
        () => {},
      )
    })
  }

  /** The call that asked has it; else the one that has waited longest for any command. False if nobody waits for it. */
  answer(command: OrchestratorCommand): boolean {
    const call = this.callFor(command)
    call?.take(command)
    return call !== undefined
  }

  waitsFor(command: OrchestratorCommand): boolean {
    return this.callFor(command) !== undefined
  }

  has(requestId: string): boolean {
    return [...this.open].some((call) => call.requestId === requestId)
  }

  private callFor({ correlationId }: OrchestratorCommand): WaitingCall | undefined {
    const calls = [...this.open]
    const asked = correlationId === undefined ? undefined : calls.find(({ requestId }) => requestId === correlationId)
    return asked ?? calls.find(({ requestId }) => requestId === null)
  }

  /** The turn is over, and nobody reads what they get. */
  dropAll(): void {
    for (const call of [...this.open]) call.drop()
  }
}
