/**
 * Ends trees of sessions: when a person says so, when the person behind the tree loses rights, when its budget is used up, and when
 * its root is deleted (TREE-4, TREE-5). Level-triggered: a tree that was stopped is looked at until each of its sessions has
 * ended, so a machine that is away, and a child that was being started, end as well.
 */
import type { SessionSummary } from '@roundhouse/backend-types'
import { entryOf, hubItself } from '../audit/audit'
import type { CommandPump } from '../commands/command-pump'
import { isStopUnderWay, STOP_AGAIN_MS, stopSession } from '../commands/stop-session'
import { eachApart, throwFirst } from '../common/each-apart'
import type { Changes } from '../doorbells/changes'
import type { Doorbells } from '../doorbells/doorbells'
import type { BusStore } from '../ports/bus-store'
import type { Reads } from '../ports/stores'
import type { TreeRow } from '../ports/tree-store'
import type { Views } from '../views/views'
import type { WriteAsHub } from '../writes/write-as'
import { treeEnd } from './judge-tree'
import { markStopped } from './mark-stopped'

interface TreeWatchDeps {
  bus: Pick<BusStore, 'appendIn'>
  changes: Changes
  doorbells: Doorbells
  now: () => number
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
  pump: CommandPump
  reads: Pick<Reads, 'commands' | 'machines' | 'people' | 'requests' | 'sessions' | 'trees'>
  views: Views
  writeAsHub: WriteAsHub
}

export class TreeWatch {
  readonly #deps: TreeWatchDeps
  /** Sessions whose end was asked for a moment ago, by when. */
  readonly #askedAt = new Map<string, number>()

  constructor(deps: TreeWatchDeps) {
    this.#deps = deps
  }

  async tick(): Promise<void> {
    const now = this.#deps.elapsed()
    for (const [sessionId, at] of this.#askedAt) if (now - at >= STOP_AGAIN_MS) this.#askedAt.delete(sessionId)
    throwFirst(await eachApart(await this.#deps.reads.trees.open(), (tree) => this.#look(tree)))
  }

  /** The sessions that were still to be ended. */
  async end(rootId: string): Promise<SessionSummary[]> {
    return (await this.#end(rootId)).live
  }

  async #end(rootId: string) {
    const { live, below } = await this.#sessions(rootId)
    const commands = await this.#deps.reads.commands.shownOfMany(live.map(({ sessionId }) => sessionId))
    for (const session of live) {
      const isAsked = isStopUnderWay(commands.get(session.sessionId) ?? [])
      if (!isAsked && this.#isDue(session)) await stopSession(this.#deps, session)
    }
    return { live, below }
  }

  #isDue({ sessionId }: SessionSummary): boolean {
    const now = this.#deps.elapsed()
    if (now - (this.#askedAt.get(sessionId) ?? Number.NEGATIVE_INFINITY) < STOP_AGAIN_MS) return false
    this.#askedAt.set(sessionId, now)
    return true
  }

  async #look(tree: TreeRow): Promise<void> {
    const { bus, reads, now, writeAsHub, changes, doorbells } = this.#deps
    const { rootId } = tree
    if (tree.stoppedAt === null) {
      const root = (await reads.sessions.heads([rootId])).get(rootId) ?? null
      const { live, below } = await this.#sessions(rootId)
      if (root && live.length === 0) return this.#close(rootId, below)
      const standing = await reads.people.standing({ kind: 'person', id: tree.personId })
      const why = treeEnd({ tree, standing, root, live, now: now() })
      if (!why) return
      await writeAsHub(async (tx) => {
        const current = await tx.trees.tree(rootId)
        if (!current || current.stoppedAt !== null) return
        await markStopped(bus, tx, { tree: current, root, why, now: now() })
        await tx.audit.append(entryOf(hubItself, 'session.stop_tree', rootId, { why }), now())
      })
      changes.session(rootId)
      doorbells.ring('bus', {})
    }
    const { live, below } = await this.#end(rootId)
    if (live.length === 0) await this.#close(rootId, below)
  }

  /** `below`: how many there are besides the root, ended and deleted ones too. */
  async #sessions(rootId: string): Promise<{ live: SessionSummary[]; below: number }> {
    const { reads, views } = this.#deps
    const below = await reads.trees.below(rootId)
    const rev = views.nextRev()
    const rows = await reads.sessions.listed([rootId, ...below.map(({ sessionId }) => sessionId)])
    const summaries = await views.summaries(reads, rows, rev)
    return { live: summaries.filter(({ status }) => status.status !== 'ended'), below: below.length }
  }

  /** None of its sessions starts another one, so it is not looked at any more. */
  #close(rootId: string, below: number): Promise<void> {
    return this.#deps.writeAsHub((tx) => tx.trees.close(rootId, below))
  }
}
