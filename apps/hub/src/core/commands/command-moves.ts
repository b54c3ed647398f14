/**
 * Moves stored commands from state to state (CMD-2..4). Each move is one conditional change inside a group commit, so
 * many moves cost one fsync per turn of the event loop, and no other write waits long.
 */
import { CodedError, type CommandState } from '@roundhouse/backend-types'
import { type CommandInput, commandStep } from '@roundhouse/delivery'
import { entryOf, hubItself } from '../audit/audit'
import type { Changes } from '../doorbells/changes'
import { fence } from '../ingest/ingest'
import type { CommandError, CommandRow } from '../ports/command-store'
import type { LoadKeys, StreamWriter } from '../ports/stream/stream-writer'
import { deciding, type WorkingSet } from '../stream/working-set'
import { authorOf, maySend, RIGHTS_ENDED } from './command-rights'
import type { Connection } from './require-epoch'

export interface MoveDeps {
  ingest: StreamWriter
  changes: Changes
  now: () => number
}

/** Refusals that prove that the machine recorded nothing (FLOW-4). */
const untaken: ReadonlySet<string> = new Set(['DISK_FULL', 'DISK_FAILING'])

/**
 * A statement of an agent and its connection. It counts only while the machine is active and the connection is its
 * newest (LINK-3).
 */
export interface Said {
  by?: Connection
  error?: CommandError
}

export class CommandMoves {
  constructor(private readonly deps: MoveDeps) {}

  /** True if this call made the move. */
  async apply(row: CommandRow, input: CommandInput, { by, error }: Said = {}): Promise<boolean> {
    const { ingest, changes } = this.deps
    const decide = deciding((set) => {
      const refused = by && fence(set, by)
      if (refused) return refused
      // An event may have moved the command since it was read.
      const state = set.commands.find(row.commandId)?.state
      const stepped = state && commandStep(state, input)
      // CMD-5.22: the end of the session overtook the answer, and nobody starts this prompt any more.
      const isLate = stepped === 'accepted' && isPrompt(row) && isOver(set, row.sessionId)
      const next = isLate ? 'refused' : stepped
      const why = isLate ? SESSION_OVER : error
      const moves =
        next !== undefined && next !== state && set.commands.move(row.commandId, state as CommandState, next, why)
      if (moves && error && untaken.has(error.code)) freeRequest(set, row, this.deps.now(), error.code)
      return moves
    })
    const sessions = isPrompt(row) ? [{ sessionId: row.sessionId }] : []
    const moved = await ingest.change({ ...keysOf(row), sessions, ...(by && { fences: [by.agentId] }) }, decide)
    if (typeof moved === 'object') throw new CodedError(moved.code, moved.message, moved.details)
    if (moved) changes.session(row.sessionId)
    return moved
  }

  /**
   * AUTH-1: moves from `pending` to `sent` while the author may still do this, and otherwise to its end. True if the
   * command may be sent.
   */
  async leave(row: CommandRow): Promise<boolean> {
    const { ingest, changes, now } = this.deps
    const author = authorOf(row)
    const decide = deciding((set) => {
      if (maySend(row, set.hub.standing(author), now())) return set.commands.move(row.commandId, 'pending', 'sent')
      if (set.commands.move(row.commandId, 'pending', 'expired', RIGHTS_ENDED)) {
        freeRequest(set, row, now(), 'rights ended')
      }
      return false
    })
    const leaves = await ingest.change({ ...keysOf(row), standings: [author] }, decide)
    changes.session(row.sessionId)
    return leaves
  }

  /** The command's decision came to nothing, so a person decides again. */
  async free(row: CommandRow): Promise<void> {
    const { ingest, changes, now } = this.deps
    await ingest.change(
      keysOf(row),
      deciding((set) => freeRequest(set, row, now(), 'rights ended')),
    )
    changes.session(row.sessionId)
  }
}

const keysOf = ({ commandId, requestId }: CommandRow): LoadKeys => ({
  commands: [commandId],
  requests: requestId === null ? [] : [requestId],
})

const SESSION_OVER = { code: 'SESSION_ENDED', message: '' }

const isPrompt = ({ kind }: CommandRow): boolean => kind === 'prompt.send' || kind === 'session.create'

/** A row that is not whole does not tell. */
function isOver(set: WorkingSet, sessionId: string): boolean {
  try {
    const session = set.sessions.find(sessionId)
    return session !== undefined && session.projection.ended !== null
  } catch {
    return false
  }
}

/**
 * Runs in the transaction that ends a decision's command: nobody will apply the decision, so the register is emptied
 * (PERM-1).
 */
function freeRequest(set: WorkingSet, { requestId, commandId, authorName }: CommandRow, at: number, why: string): void {
  if (requestId === null || !set.requests.emptyDecision(requestId, commandId)) return
  const detail = { by: authorName, commandId, why }
  set.hub.appendAudit(entryOf(hubItself, 'permission.decision_lost', requestId, detail), at)
}
