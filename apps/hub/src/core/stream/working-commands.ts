/** Commands in one decision: their states, and the events that they prove. */
import { type CommandState, promptCommands, type SessionEventKind } from '@roundhouse/backend-types'
import type { CommandError, CommandMark, GivenCommand } from '../ports/command-store'
import type { Operation } from '../ports/stream/stream-change'
import { deedKey, editsKey, type Loaded } from '../ports/stream/stream-writer'
import { rowOf } from './found'

export class WorkingCommands {
  readonly #states = new Map<string, CommandState>()
  readonly #proven = new Map<string, number>()
  /** Sessions whose waiting prompts were refused. */
  readonly #refused = new Set<string>()

  constructor(
    private readonly loaded: Partial<Loaded>,
    private readonly record: (operation: Operation) => void,
  ) {}

  find(commandId: string): CommandMark | undefined {
    const row = rowOf(this.loaded.commands?.get(commandId), `command ${commandId}`)
    return row && this.#now(row)
  }

  given(commandId: string, kind: SessionEventKind): GivenCommand | undefined {
    const row = rowOf(this.loaded.given?.get(deedKey(commandId, kind)), `command ${commandId} of ${kind}`)
    return row && this.#provenNow(row, kind)
  }

  /** The edits of a queued prompt. */
  promptEdits(sessionId: string, promptId: string): GivenCommand[] {
    const rows = rowOf(this.loaded.promptEdits?.get(editsKey(sessionId, promptId)), `edits of ${promptId}`) ?? []
    return rows.map((row) => this.#provenNow(row, 'user_message'))
  }

  /** Sent and accepted commands of a session, for a rebase (REB-1). */
  unsettledOfSession(sessionId: string): CommandMark[] {
    const rows = rowOf(this.loaded.unsettled?.get(sessionId), `unsettled commands of ${sessionId}`) ?? []
    return rows.map((row) => this.#now(row)).filter(({ state }) => state === 'sent' || state === 'accepted')
  }

  setProven(commandId: string, kind: SessionEventKind, seq: number): void {
    const key = deedKey(commandId, kind)
    if (!this.#proven.has(key)) this.#proven.set(key, seq)
    this.record({ op: 'command.prove', commandId, kind, seq })
  }

  setState(commandId: string, state: CommandState): void {
    this.#states.set(commandId, state)
    this.record({ op: 'command.setState', commandId, state })
  }

  /** False if the command is no longer in `from`. */
  move(commandId: string, from: CommandState, to: CommandState, error?: CommandError): boolean {
    if (this.find(commandId)?.state !== from) return false
    this.#states.set(commandId, to)
    this.record({ op: 'command.move', commandId, from, to, error: error ?? null })
    return true
  }

  /** Refuses accepted prompts that began no turn (CMD-5). */
  refuseWaitingPrompts(sessionId: string, error: CommandError): void {
    this.#refused.add(sessionId)
    this.record({ op: 'commands.refuseWaitingPrompts', sessionId, error })
  }

  #now(row: CommandMark): CommandMark {
    const state = this.#states.get(row.commandId) ?? row.state
    const isRefused = state === 'accepted' && promptCommands.has(row.kind) && this.#refused.has(row.sessionId)
    return { ...row, state: isRefused ? 'refused' : state }
  }

  #provenNow(row: GivenCommand, kind: SessionEventKind): GivenCommand {
    return { ...row, provenSeq: row.provenSeq ?? this.#proven.get(deedKey(row.commandId, kind)) ?? null }
  }
}
