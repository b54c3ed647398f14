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
import type { CommandRow, SessionReads, Transactions } from './ports'
import type { Presence } from './presence'

export interface PumpDeps {
  reads: SessionReads
  transactions: Transactions
  presence: Presence
  changes: Changes
  now: () => number
  onError: (error: unknown) => void
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
  async news(agentId: string, news: CommandNews): Promise<void> {
    const { commandId, answer } = CommandNews.parse(news)
    const row = this.#deps.reads.command(commandId)
    if (row?.agentId !== agentId) return
    await this.#apply(row, { answer: answer.state }, answer.error)
    this.kick(agentId)
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
      await this.#answered(row, await connected.link.cancel({ commandId, sessionId: row.sessionId }))
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
    const { reads, presence, now } = this.#deps
    const { commandId, sessionId } = row
    const overdue = row.expiresAt !== null && row.expiresAt <= now()
    if (row.state === 'pending') {
      const moved = await this.#apply(row, overdue ? 'expire' : 'sent')
      if (!moved || overdue) return
    }
    // A rebase, a restore, or an event that carries its id may have come in between.
    const connected = presence.current(row.agentId)
    if (!connected?.ready || !connected.served.takesCommands(sessionId)) return
    if (reads.command(commandId)?.state !== 'sent') return
    const { link } = connected
    if (!overdue) failpoint('hub.command.beforeSend')
    const answer = overdue ? await link.cancel({ commandId, sessionId }) : await link.command(toCommand(row))
    await this.#answered({ ...row, state: 'sent' }, answer)
  }

  #answered(row: CommandRow, answer: CommandAnswer): Promise<boolean> {
    return this.#apply(row, { answer: answer.state }, answer.state === 'refused' ? answer.error : undefined)
  }

  /** True when this very move was made here. */
  async #apply(row: CommandRow, input: CommandInput, error?: { code: string; message: string }): Promise<boolean> {
    const { transactions, changes, reads } = this.#deps
    for (let state: CommandState = row.state, tries = 0; tries < 3; tries += 1) {
      const next = commandStep(state, input)
      if (next === state) return false
      if (await transactions.write((tx) => tx.moveCommand(row.commandId, state, next, error))) {
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
