/**
 * Brings stored commands to their agents (CMD-2..4): sends what is due, again after every reconnect, until the agent has
 * answered; expires what was never sent; calls back what was sent and is overdue. The table of states is the kernel's,
 * and a session takes commands when the connection says so (`ServedSessions`).
 */
import {
  type Command,
  type CommandAnswer,
  type CommandBody,
  CommandNews,
  type CommandState,
} from '@roundhouse/backend-types'
import { type CommandInput, commandStep, commandsToSend } from '@roundhouse/delivery'
import { failpoint } from '@roundhouse/failpoint'
import type { Changes } from './changes'
import { authorOf, freeRequest, maySend, RIGHTS_ENDED } from './command-rights'
import type { PeopleReads } from './people-ports'
import type { CommandRow, SessionReads, Transactions } from './ports'
import type { Connected, Presence } from './presence'
import { type Connection, requireEpoch } from './require-epoch'

export interface PumpDeps {
  reads: SessionReads
  people: Pick<PeopleReads, 'standing'>
  transactions: Transactions
  presence: Presence
  changes: Changes
  now: () => number
  onError: (error: unknown) => void
}

/** Of an agent: by which connection, which counts only while the machine is active and the connection its newest (LINK-3). */
interface Said {
  by?: Connection
  error?: { code: string; message: string }
}

export class CommandPump {
  readonly #deps: PumpDeps
  readonly #inFlight = new Set<string>()
  readonly #calledBack = new Set<string>()
  /** Answered with an error of the link: tried again at the next tick, not at once. */
  readonly #resting = new Set<string>()
  #work = new Set<Promise<void>>()

  constructor(deps: PumpDeps) {
    this.#deps = deps
  }

  /** Looks for commands of this agent and sends those whose turn it is. */
  kick(agentId: string): void {
    const connected = this.#deps.presence.current(agentId)
    if (!connected?.ready) return
    const bySession = groupBySession(this.#deps.reads.unfinishedCommands(agentId))
    for (const [sessionId, rows] of bySession) {
      if (!connected.served.takesCommands(sessionId)) continue
      const due = commandsToSend(rows.map((row) => ({ ...row, cmdSeq: row.cmdSeq ?? undefined })))
      for (const { commandId } of due) {
        const row = rows.find((one) => one.commandId === commandId)
        if (row && !this.#inFlight.has(commandId) && !this.#resting.has(commandId)) this.#start(row)
      }
    }
  }

  /** A new connection: what failed on the old one is tried again as soon as its session has a verdict. */
  resume(agentId: string): void {
    for (const { commandId } of this.#deps.reads.unfinishedCommands(agentId)) this.#resting.delete(commandId)
  }

  /** News after acceptance: done or refused, from the agent's inbox. */
  async news(by: Connection, news: CommandNews): Promise<void> {
    const { commandId, answer } = CommandNews.parse(news)
    const row = this.#deps.reads.command(commandId)
    if (row?.agentId !== by.agentId) return
    await this.#apply(row, { answer: answer.state }, { by, ...(answer.error ? { error: answer.error } : {}) })
    this.kick(by.agentId)
  }

  /** Asks the agent to give back a command whose outcome nobody knows. Its answer is final (CMD-4). */
  async callBack(agentId: string, commandId: string): Promise<void> {
    const { reads, presence, onError } = this.#deps
    const row = reads.command(commandId)
    const connected = presence.current(agentId)
    if (row?.agentId !== agentId || row.state !== 'outcome_unknown' || this.#calledBack.has(commandId)) return
    if (!connected?.ready || !connected.served.takesCommands(row.sessionId)) return
    this.#calledBack.add(commandId)
    try {
      await this.#answered(row, connected, await connected.link.cancel({ commandId, sessionId: row.sessionId }))
    } catch (error) {
      onError(error) // the next account of the host asks again
    } finally {
      this.#calledBack.delete(commandId)
    }
  }

  async tick(): Promise<void> {
    for (const row of this.#deps.reads.overdueCommands(this.#deps.now())) {
      if (row.state === 'pending') await this.#apply(row, 'expire')
    }
    if (this.#resting.size === 0) return // whatever else is due was sent when it was made, or at the hello
    this.#resting.clear()
    for (const agentId of this.#deps.presence.agentIds()) this.kick(agentId)
  }

  /** Somebody's rights changed: what they have no right to any more is not left to wait for its machine. */
  async review(): Promise<void> {
    const { reads, people, now } = this.#deps
    for (const row of reads.pendingCommands()) {
      if (!maySend(row, people.standing(authorOf(row)), now())) await this.#leave(row)
    }
  }

  /** Everything under way has been answered. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled([...this.#work])
  }

  #start(row: CommandRow): void {
    this.#inFlight.add(row.commandId)
    const work = this.#deliver(row)
      .catch((error) => {
        this.#resting.add(row.commandId)
        this.#deps.onError(error)
      })
      .finally(() => {
        this.#inFlight.delete(row.commandId)
        this.#work.delete(work)
        this.kick(row.agentId)
      })
    this.#work.add(work)
  }

  /** `sent` is on disk before the frame leaves, and the frame leaves only if the row still says so. */
  async #deliver(row: CommandRow): Promise<void> {
    const { reads, people, presence, now } = this.#deps
    const { commandId, sessionId } = row
    const overdue = row.expiresAt !== null && row.expiresAt <= now()
    if (row.state === 'pending') {
      const moved = overdue ? await this.#apply(row, 'expire') : await this.#leave(row)
      if (!moved || overdue) return
    }
    const forbidden = !maySend(row, people.standing(authorOf(row)), now())
    // A rebase, a restore, or an event that carries its id may have come in between.
    const connected = presence.current(row.agentId)
    if (!connected?.ready || !connected.served.takesCommands(sessionId)) return
    if (reads.command(commandId)?.state !== 'sent') return
    const { link } = connected
    const ends = overdue || forbidden
    if (!ends) failpoint('hub.command.beforeSend')
    const answer = ends ? await link.cancel({ commandId, sessionId }) : await link.command(toCommand(row))
    await this.#answered({ ...row, state: 'sent' }, connected, answer)
    if (forbidden && answer.state === 'cancelled') await this.#free(row)
  }

  #answered(row: CommandRow, { connEpoch }: Connected, answer: CommandAnswer): Promise<boolean> {
    const by = { agentId: row.agentId, connEpoch }
    const error = answer.state === 'refused' && answer.error ? { error: answer.error } : {}
    return this.#apply(row, { answer: answer.state }, { by, ...error })
  }

  async #free(row: CommandRow): Promise<void> {
    const { transactions, changes, now } = this.#deps
    await transactions.write((tx) => freeRequest(tx, row, now()))
    changes.session(row.sessionId)
  }

  /** AUTH-1: from `pending` to `sent` while its author may, else to its end. True when it may leave. */
  async #leave(row: CommandRow): Promise<boolean> {
    const { transactions, changes, now } = this.#deps
    const { commandId, sessionId } = row
    const leaves = await transactions.write(async (tx) => {
      if (maySend(row, await tx.findStanding(authorOf(row)), now())) return tx.moveCommand(commandId, 'pending', 'sent')
      if (await tx.moveCommand(commandId, 'pending', 'expired', RIGHTS_ENDED)) await freeRequest(tx, row, now())
      return false
    })
    changes.session(sessionId)
    return leaves
  }

  /** True when this very move was made here. */
  async #apply(row: CommandRow, input: CommandInput, { by, error }: Said = {}): Promise<boolean> {
    const { transactions, changes, reads } = this.#deps
    const { commandId } = row
    for (let state: CommandState = row.state, tries = 0; tries < 3; tries += 1) {
      const next = commandStep(state, input)
      if (next === state) return false
      const moved = await transactions.write(async (tx) => {
        if (by) await requireEpoch(tx, by)
        return tx.moveCommand(commandId, state, next, error)
      })
      if (moved) {
        changes.session(row.sessionId)
        return true
      }
      state = reads.command(row.commandId)?.state ?? next // moved by its event meanwhile
    }
    return false
  }
}

function toCommand(row: CommandRow): Command {
  const { commandId, sessionId, cmdSeq, createdAt } = row
  return {
    commandId,
    sessionId,
    ...(cmdSeq === null ? {} : { cmdSeq }),
    author: { userId: row.authorId, name: row.authorName },
    createdAt,
    body: JSON.parse(row.body) as CommandBody,
  }
}

function groupBySession(rows: readonly CommandRow[]): Map<string, CommandRow[]> {
  const groups = new Map<string, CommandRow[]>()
  for (const row of rows) groups.set(row.sessionId, [...(groups.get(row.sessionId) ?? []), row])
  return groups
}
