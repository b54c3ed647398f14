/**
 * How stored commands move from state to state (CMD-2..4). Each move is one conditional update inside a group commit, so a
 * crowd of them costs one fsync for each turn of the event loop, and no other write waits long.
 */
import { CodedError, type CommandState } from '@roundhouse/backend-types'
import { type CommandInput, commandStep } from '@roundhouse/delivery'
import { entryOf, hubItself } from '../audit/audit'
import type { Changes } from '../doorbells/changes'
import { fence } from '../ingest/ingest'
import type { CommandRow } from '../ports/command-store'
import type { IngestTx, IngestWriter, Reads } from '../ports/stores'
import { authorOf, maySend, RIGHTS_ENDED } from './command-rights'
import type { Connection } from './require-epoch'

export interface MoveDeps {
  reads: Pick<Reads, 'commands' | 'people'>
  ingest: IngestWriter
  changes: Changes
  now: () => number
}

/** Refusals that say for certain: the machine wrote nothing of it down (FLOW-4). */
const untaken: ReadonlySet<string> = new Set(['DISK_FULL', 'DISK_FAILING'])

/** Of an agent: by which connection, which counts only while the machine is active and the connection its newest (LINK-3). */
export interface Said {
  by?: Connection
  error?: { code: string; message: string }
}

export class CommandMoves {
  constructor(private readonly deps: MoveDeps) {}

  /** True when this very move was made here. */
  async apply(row: CommandRow, input: CommandInput, { by, error }: Said = {}): Promise<boolean> {
    const { ingest, changes } = this.deps
    const moved = await ingest.run(1, (tx) => {
      const refused = by && fence(tx, by)
      if (refused) return refused
      // Since it was read, its event may have moved it.
      const state = tx.commands.find(row.commandId)?.state
      const next = state && commandStep(state, input)
      const moves =
        next !== undefined && next !== state && tx.commands.move(row.commandId, state as CommandState, next, error)
      if (moves && error && untaken.has(error.code)) freeRequest(tx, row, this.deps.now(), error.code)
      return moves
    })
    if (typeof moved === 'object') throw new CodedError(moved.code, moved.message, moved.details)
    if (moved) changes.session(row.sessionId)
    return moved
  }

  /** AUTH-1: from `pending` to `sent` while its author may, else to its end. True when it may leave. */
  async leave(row: CommandRow): Promise<boolean> {
    const { ingest, changes, reads, now } = this.deps
    const leaves = await ingest.run(1, (tx) => {
      // Whoever holds the gate reads what no other can change meanwhile.
      if (maySend(row, reads.people.standing(authorOf(row)), now()))
        return tx.commands.move(row.commandId, 'pending', 'sent')
      if (tx.commands.move(row.commandId, 'pending', 'expired', RIGHTS_ENDED)) {
        freeRequest(tx, row, now(), 'rights ended')
      }
      return false
    })
    changes.session(row.sessionId)
    return leaves
  }

  /** Its decision came to nothing: a person decides again. */
  async free(row: CommandRow): Promise<void> {
    const { ingest, changes, now } = this.deps
    await ingest.run(1, (tx) => freeRequest(tx, row, now(), 'rights ended'))
    changes.session(row.sessionId)
  }
}

/** In the transaction that ends the command of a decision: nobody will ever apply it, so the register is emptied (PERM-1). */
function freeRequest(tx: IngestTx, { requestId, commandId, authorName }: CommandRow, at: number, why: string): void {
  if (requestId === null || !tx.requests.emptyDecision(requestId, commandId)) return
  const detail = { by: authorName, commandId, why }
  tx.audit.append(entryOf(hubItself, 'permission.decision_lost', requestId, detail), at)
}
