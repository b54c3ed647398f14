/**
 * What sessions ask about their trees, and what their turns cost, behind the ack and once for each event (TREE-2.2): requests, costs
 * and the cursor of this follower commit together.
 */
import {
  isTreeVerb,
  parseEventBody,
  type SessionEventKind,
  type StoredEvent,
  TREE_WAIT_SECONDS,
  treeInputs,
} from '@roundhouse/backend-types'
import { MOST_USD } from '@roundhouse/bus'
import { failpoint } from '@roundhouse/failpoint'
import type { Follower, FollowerWrite } from '../followers/follower'
import type { AppendEntry } from '../ports/append-store'
import type { Reads } from '../ports/stores'
import type { TreeRequestRow } from '../ports/tree-store'

interface TreeFollowerDeps {
  reads: Pick<Reads, 'trees'>
  /** Something may be due. */
  changed: () => void
  /** More of the budget of this tree is used, whichever of its sessions cost it. */
  spent: (rootId: string) => void
}

export const treeKinds: ReadonlySet<SessionEventKind> = new Set(['session_request', 'turn_completed', 'session_ended'])

interface Spent {
  costUsd: number
  tokens: number
}

export class TreeFollower implements Follower {
  readonly name = 'tree'
  readonly kinds = treeKinds
  readonly #deps: TreeFollowerDeps
  #spentBy: readonly string[] = []

  constructor(deps: TreeFollowerDeps) {
    this.#deps = deps
  }

  async take(entries: readonly AppendEntry[]): Promise<FollowerWrite | null> {
    const lots = entries.flatMap((entry) => (entry.kind === 'events' ? [entry] : []))
    const requests = lots.flatMap(({ sessionId, events }) =>
      events.flatMap((event) => requestOf(sessionId, event) ?? []),
    )
    const spent = await this.#spent(lots)
    const ends = await this.#ends(lots, requests)
    if (requests.length === 0 && spent.size === 0 && ends.length === 0) return null
    this.#spentBy = [...spent.keys()]
    failpoint('hub.tree.beforeAnswer')
    return async (tx) => {
      for (const request of requests) await tx.trees.insertRequest(request)
      for (const { sessionId, seq } of ends) await tx.trees.removeWaits(sessionId, seq)
      for (const [rootId, cost] of spent) await tx.trees.spend(rootId, cost)
    }
  }

  written(): void {
    this.#deps.changed()
    for (const rootId of this.#spentBy) this.#deps.spent(rootId)
  }

  /** Where waits are over. Most turns end without one, and write nothing. */
  async #ends(
    lots: ReadonlyArray<{ sessionId: string; events: readonly StoredEvent[] }>,
    requests: readonly TreeRequestRow[],
  ): Promise<Array<{ sessionId: string; seq: number }>> {
    const ends = lots.flatMap(({ sessionId, events }) => {
      const seq = endOf(events)
      return seq === null ? [] : [{ sessionId, seq }]
    })
    const waiting = await this.#deps.reads.trees.waiting(ends.map(({ sessionId }) => sessionId))
    for (const { sessionId, dueAt } of requests) if (dueAt !== null) waiting.add(sessionId)
    return ends.filter(({ sessionId }) => waiting.has(sessionId))
  }

  /** By root. A session of no tree is its own root, which has no row. */
  async #spent(
    lots: ReadonlyArray<{ sessionId: string; events: readonly StoredEvent[] }>,
  ): Promise<Map<string, Spent>> {
    const places = await this.#deps.reads.trees.places(lots.map(({ sessionId }) => sessionId))
    const spent = new Map<string, Spent>()
    for (const { sessionId, events } of lots) {
      const place = places.get(sessionId)
      const rootId = place?.node?.rootId ?? sessionId
      if (!place) continue
      const before = spent.get(rootId) ?? { costUsd: 0, tokens: 0 }
      const { costUsd, tokens } = events.map(costOf).reduce(add, before)
      if (costUsd > 0 || tokens > 0) spent.set(rootId, { costUsd, tokens })
    }
    return spent
  }
}

/** The newest end of a turn, or of the session, behind which nobody waits any more. */
function endOf(events: readonly StoredEvent[]): number | null {
  const last = events.findLast(({ kind }) => kind === 'turn_completed' || kind === 'session_ended')
  return last?.seq ?? null
}

const add = (a: Spent, b: Spent): Spent => ({ costUsd: a.costUsd + b.costUsd, tokens: a.tokens + b.tokens })

function costOf({ body }: StoredEvent): Spent {
  const event = parseEventBody(body)
  if (event?.kind !== 'turn_completed') return { costUsd: 0, tokens: 0 }
  const { cost = 0, usage } = event
  return { costUsd: Math.min(cost, MOST_USD), tokens: (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) }
}

function requestOf(sessionId: string, { seq, storedAt, body }: StoredEvent): TreeRequestRow | null {
  const event = parseEventBody(body)
  if (event?.kind !== 'session_request') return null
  const { requestId, verb, input } = event
  return { sessionId, seq, requestId, verb, input, createdAt: storedAt, dueAt: dueAt(verb, input, storedAt) }
}

function dueAt(verb: string, input: unknown, now: number): number | null {
  if (!isTreeVerb(verb) || verb !== 'wait') return null
  const wanted = treeInputs.wait.safeParse(input)
  return now + (wanted.data?.timeoutSeconds ?? TREE_WAIT_SECONDS) * 1_000
}
