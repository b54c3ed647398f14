/** Permission requests in one decision, and how many are open besides them. */
import type { PermissionAsk, PermissionOutcome } from '@roundhouse/backend-types'
import type { NewRequest, OpenRequests, RequestRegister, StreamRequest } from '../ports/request-store'
import type { Operation } from '../ports/stream/stream-change'
import type { Loaded } from '../ports/stream/stream-writer'
import { notLoaded, rowOf } from './found'

/** The register of a request that nobody has decided. */
export const undecided: RequestRegister = {
  decision: null,
  decidedBy: null,
  deciderName: null,
  decidedAt: null,
  device: null,
  reason: null,
  commandId: null,
}

const none: OpenRequests = { count: 0, bytes: 0 }

export class WorkingRequests {
  readonly #changed = new Map<string, StreamRequest>()
  readonly #open = new Map<string, { ofMachine: OpenRequests; ofSession: OpenRequests }>()

  constructor(
    private readonly loaded: Partial<Loaded>,
    private readonly record: (operation: Operation) => void,
  ) {}

  find(requestId: string): StreamRequest | undefined {
    return this.#changed.get(requestId) ?? rowOf(this.loaded.requests?.get(requestId), `request ${requestId}`)
  }

  /** The requests that `find` cannot look up. */
  notLoaded(requestIds: readonly string[]): string[] {
    return requestIds.filter((requestId) => !this.#changed.has(requestId) && !this.loaded.requests?.has(requestId))
  }

  /** How many requests are open, and the total length of their texts: of the machine and of the session. */
  open(sessionId: string): { ofMachine: OpenRequests; ofSession: OpenRequests } {
    const open = this.#open.get(sessionId) ?? this.loaded.openRequests?.get(sessionId)
    if (!open) throw notLoaded(`open requests of ${sessionId}`)
    return open
  }

  /** The first owner of an id keeps it. */
  insert(row: NewRequest): void {
    if (this.find(row.requestId)) return
    this.#put(undefined, row)
    this.record({ op: 'request.insert', row })
  }

  /** Open, whatever had closed it; as this ask says, or as it was asked. A decision stays. */
  reopen(requestId: string, ask?: PermissionAsk): void {
    const changed = ask && { ask }
    this.#change(requestId, { ...changed, outcome: 'open', resolvedSeq: null })
    this.record({ op: 'request.reopen', requestId, ...changed })
  }

  /** True if that command's decision was recorded and the request was open. */
  emptyDecision(requestId: string, commandId: string): boolean {
    const row = this.find(requestId)
    if (row?.commandId !== commandId || row.outcome !== 'open') return false
    this.#change(requestId, undecided)
    this.record({ op: 'request.emptyDecision', requestId, commandId })
    return true
  }

  close(requestId: string, outcome: PermissionOutcome, resolvedSeq: number | null): void {
    this.#change(requestId, { outcome, resolvedSeq })
    this.record({ op: 'request.close', requestId, outcome, resolvedSeq })
  }

  /** Includes requests that only `state` reported and requests that were not loaded. */
  closeAllOpen(sessionId: string, outcome: PermissionOutcome, resolvedSeq: number): void {
    for (const requestId of new Set([...(this.loaded.requests?.keys() ?? []), ...this.#changed.keys()])) {
      const row = this.#changed.get(requestId) ?? this.loaded.requests?.get(requestId)?.row
      if (row?.sessionId === sessionId && row.outcome === 'open') this.#change(requestId, { outcome, resolvedSeq })
    }
    const open = this.#open.get(sessionId) ?? this.loaded.openRequests?.get(sessionId)
    if (open) this.#open.set(sessionId, { ofMachine: without(open.ofMachine, open.ofSession), ofSession: none })
    this.record({ op: 'requests.closeAllOpen', sessionId, outcome, resolvedSeq })
  }

  #change(requestId: string, change: Partial<StreamRequest>): void {
    const row = this.find(requestId)
    if (row) this.#put(row, { ...row, ...change })
  }

  #put(before: StreamRequest | undefined, row: StreamRequest): void {
    this.#changed.set(row.requestId, row)
    const open = this.#open.get(row.sessionId) ?? this.loaded.openRequests?.get(row.sessionId)
    if (!open) return
    const moved = (count: OpenRequests) => added(without(count, weightOf(before)), weightOf(row))
    this.#open.set(row.sessionId, { ofMachine: moved(open.ofMachine), ofSession: moved(open.ofSession) })
  }
}

function weightOf(row: StreamRequest | undefined): OpenRequests {
  return row?.outcome === 'open' ? { count: 1, bytes: row.ask ? Buffer.byteLength(JSON.stringify(row.ask)) : 0 } : none
}

const added = (a: OpenRequests, b: OpenRequests): OpenRequests => ({
  count: a.count + b.count,
  bytes: a.bytes + b.bytes,
})

/** Without measured texts there is nothing to subtract. */
const without = (a: OpenRequests, b: OpenRequests): OpenRequests => ({
  count: Math.max(0, a.count - b.count),
  bytes: Math.max(0, a.bytes - b.bytes),
})
