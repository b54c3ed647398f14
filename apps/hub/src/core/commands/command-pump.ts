/**
 * Delivers stored commands to their agents (CMD-2..4): sends what is due, and sends it again after each reconnect until
 * the agent has answered; expires what was never sent; calls back what was sent and is overdue. The kernel has the
 * table of states, and the connection decides when a session takes commands (`ServedSessions`).
 *
 * A machine that returns may have thousands of commands. Only a few are in flight at once (CMD-7), and an answer makes
 * only the session of its command look again.
 */
import { type Command, type CommandAnswer, CommandNews, type ErrorBody } from '@roundhouse/backend-types'
import { commandsToSend, newsCounts } from '@roundhouse/delivery'
import { failpoint } from '@roundhouse/failpoint'
import type { Standing } from '../access/standing'
import { eachApart, throwFirst } from '../common/each-apart'
import type { Connected, Presence } from '../machines/presence'
import type { CommandError, CommandRow, DueRow } from '../ports/command-store'
import type { Reads } from '../ports/stores'
import type { Attention } from '../views/attention'
import { CommandLane, type Due, type Way } from './command-lane'
import { CommandLookups } from './command-lookups'
import { CommandMoves, type MoveDeps } from './command-moves'
import { authorOf, maySend } from './command-rights'
import type { Connection } from './require-epoch'
import { UnsettledCommands } from './unsettled-commands'

export interface PumpDeps extends MoveDeps {
  reads: Pick<Reads, 'commands' | 'people'>
  presence: Presence
  attention: Pick<Attention, 'has'>
  elapsed: () => number
  onError: (error: unknown) => void
}

export class CommandPump {
  readonly #deps: PumpDeps
  readonly #moves: CommandMoves
  readonly #lanes = new Map<string, CommandLane>()
  readonly #calledBack = new Set<string>()
  readonly #unsettled: UnsettledCommands<CommandRow>
  readonly #looks = new CommandLookups()
  #work = new Set<Promise<void>>()

  constructor(deps: PumpDeps) {
    this.#deps = deps
    this.#moves = new CommandMoves(deps)
    const made = (before: number) => deps.reads.commands.unsettled(before)
    this.#unsettled = new UnsettledCommands({ made, now: deps.now, elapsed: deps.elapsed })
  }

  /**
   * Looks for commands of this agent, or of one of its sessions, and sends what is next. Nobody waits for it. If the
   * commands cannot be read, those known to be due are still sent.
   */
  kick(agentId: string, sessionId?: string): void {
    if (!this.#deps.presence.isOnline(agentId)) return
    const looked = this.#looks
      .ask(agentId, sessionId, () => this.#look(agentId, sessionId))
      .catch((error) => {
        this.#deps.onError(error)
        this.#fill(agentId)
      })
      .finally(() => this.#work.delete(looked))
    this.#work.add(looked)
  }

  /** One lookup at a time per machine, so that an older result never replaces a newer one. */
  async #look(agentId: string, sessionId: string | undefined): Promise<void> {
    const { commands } = this.#deps.reads
    const due = await (sessionId === undefined ? commands.dueOfMachine(agentId) : commands.dueOfSession(sessionId))
    const bySession = groupBySession(due)
    if (sessionId !== undefined && !bySession.has(sessionId)) bySession.set(sessionId, [])
    for (const [one, rows] of bySession) this.#put(agentId, one, rows)
    this.#fill(agentId)
  }

  /** Called for a new connection: commands that failed on the old one are sent again once their session has a verdict. */
  resume(agentId: string): void {
    this.#lane(agentId).begin()
  }

  /** The machine holds these until a place is free, so they must not block others. */
  held(agentId: string, commandIds: readonly string[]): void {
    this.#lane(agentId).hold(commandIds)
    this.#fill(agentId)
  }

  /** Somebody started viewing this session. */
  prefer(sessionId: string): void {
    for (const lane of this.#lanes.values()) lane.prefer(sessionId)
  }

  /** News about an accepted command, from the agent's inbox: refused, or done if no event reports it. */
  async news(by: Connection, news: CommandNews): Promise<void> {
    const { commandId, answer } = CommandNews.parse(news)
    const row = await this.#deps.reads.commands.find(commandId)
    if (row?.agentId !== by.agentId || !newsCounts(row.kind, answer.state)) return
    await this.#moves.apply(
      row,
      { answer: answer.state },
      { by, ...(answer.error && { error: commandError(answer.error) }) },
    )
    this.kick(by.agentId, row.sessionId)
  }

  /**
   * Asks the agent to give back a command with an unknown outcome. The answer is final (CMD-4). True if the agent does
   * not have the command and will never accept it. The command may still have run before the agent's log was lost
   * (REB-1).
   */
  async callBack(agentId: string, commandId: string): Promise<boolean> {
    const { reads, presence, onError } = this.#deps
    const row = await reads.commands.find(commandId)
    const connected = presence.current(agentId)
    if (row?.agentId !== agentId || row.state !== 'outcome_unknown' || this.#calledBack.has(commandId)) return false
    if (!connected?.ready || !connected.served.takesCommands(row.sessionId)) return false
    this.#calledBack.add(commandId)
    try {
      const answer = await connected.link.cancel({ commandId, sessionId: row.sessionId })
      await this.#answered(row, connected, answer)
      return answer.state === 'cancelled'
    } catch (error) {
      onError(error) // the host's next account repeats this
      return false
    } finally {
      this.#calledBack.delete(commandId)
    }
  }

  async tick(): Promise<void> {
    const overdue = await this.#deps.reads.commands.overdue(this.#deps.now())
    const ends = await Promise.allSettled(
      overdue.filter(({ state }) => state === 'pending').map((row) => this.#moves.apply(row, 'expire')),
    )
    const ids = new Set(overdue.map(({ commandId }) => commandId))
    for (const [agentId, lane] of this.#lanes) {
      if (lane.wake(ids)) this.kick(agentId) // everything else that is due was sent when it was created, or at the hello
      if (lane.isEmpty && !this.#deps.presence.isOnline(agentId)) this.#lanes.delete(agentId)
    }
    await this.#askForEnds()
    // A command that cannot be ended is reported and does not affect the others.
    throwFirst(reasonsOf(ends))
  }

  /** CMD-3: asks about accepted commands without news. */
  async #askForEnds(): Promise<void> {
    const connectedFor = ({ agentId, sessionId }: CommandRow) => {
      const connected = this.#deps.presence.current(agentId)
      return connected?.ready && connected.served.takesCommands(sessionId) ? connected : undefined
    }
    for (const row of await this.#unsettled.due((one) => connectedFor(one) !== undefined)) {
      const connected = connectedFor(row)
      if (!connected) continue
      const work = connected.link
        .command(toCommand(row))
        .then((answer) => this.#answered(row, connected, answer))
        .then(
          () => {},
          (error) => this.#deps.onError(error),
        )
        .finally(() => this.#work.delete(work))
      this.#work.add(work)
    }
  }

  /** Somebody's rights changed, so commands that the author may no longer give must not wait for their machine. */
  async review(): Promise<void> {
    const { reads, now } = this.#deps
    const barred: CommandRow[] = []
    const standings = new Map<string, Standing | undefined>()
    const errors = await eachApart(await reads.commands.pending(), async (row) => {
      const author = authorOf(row)
      const key = `${author.kind} ${author.id}`
      if (!standings.has(key)) standings.set(key, await reads.people.standing(author))
      if (!maySend(row, standings.get(key), now())) barred.push(row)
    })
    const moves = await Promise.allSettled(barred.map((row) => this.#moves.leave(row)))
    throwFirst([...errors, ...reasonsOf(moves)])
  }

  /** Resolves when everything in flight has been answered. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled([...this.#work])
  }

  #lane(agentId: string): CommandLane {
    const lane = this.#lanes.get(agentId) ?? new CommandLane()
    this.#lanes.set(agentId, lane)
    return lane
  }

  #put(agentId: string, sessionId: string, rows: readonly DueRow[]): void {
    const { presence, attention } = this.#deps
    const takes = presence.current(agentId)?.served.takesCommands(sessionId) ?? false
    const due = commandsToSend(rows.map((row) => ({ ...row, cmdSeq: row.cmdSeq ?? undefined })))
    const rowsDue = due.map(({ commandId, cmdSeq, kind }) => ({ commandId, sessionId, way: wayOf(cmdSeq, kind) }))
    this.#lane(agentId).put(sessionId, takes ? rowsDue : [], attention.has(sessionId))
  }

  #fill(agentId: string): void {
    if (!this.#deps.presence.isOnline(agentId)) return
    const lane = this.#lane(agentId)
    for (let due = lane.take(); due; due = lane.take()) this.#start(agentId, lane, due)
  }

  #start(agentId: string, lane: CommandLane, { commandId, sessionId }: Due): void {
    const work = this.#deliver(commandId)
      .then(
        () => false,
        (error) => {
          this.#deps.onError(error)
          return true
        },
      )
      .then((failed) => {
        lane.done(commandId, failed)
        this.#work.delete(work)
        this.kick(agentId, sessionId)
      })
    this.#work.add(work)
  }

  /**
   * `sent` is on disk before the frame is sent, and the frame is sent only if the row still says so. The connection is
   * checked last, after every read, so its state holds when the frame is sent.
   */
  async #deliver(commandId: string): Promise<void> {
    const { reads, presence, now } = this.#deps
    const row = await reads.commands.find(commandId)
    if (row?.state !== 'pending' && row?.state !== 'sent') return
    const { sessionId } = row
    const overdue = row.expiresAt !== null && row.expiresAt <= now()
    if (row.state === 'pending') {
      const moved = overdue ? await this.#moves.apply(row, 'expire') : await this.#moves.leave(row)
      if (!moved || overdue) return
    }
    const forbidden = !maySend(row, await reads.people.standing(authorOf(row)), now())
    // A rebase, a restore, or an event with this id may have come in between.
    if ((await reads.commands.find(commandId))?.state !== 'sent') return
    const connected = presence.current(row.agentId)
    if (!connected?.ready || !connected.served.takesCommands(sessionId)) return
    const { link } = connected
    const ends = overdue || forbidden
    if (!ends) failpoint('hub.command.beforeSend')
    const answer = ends ? await link.cancel({ commandId, sessionId }) : await link.command(toCommand(row))
    await this.#answered({ ...row, state: 'sent' }, connected, answer)
    if (forbidden && answer.state === 'cancelled') await this.#moves.free(row)
  }

  #answered(row: CommandRow, { connEpoch }: Connected, answer: CommandAnswer): Promise<boolean> {
    const by = { agentId: row.agentId, connEpoch }
    const error = answer.state === 'refused' && answer.error ? { error: commandError(answer.error) } : {}
    return this.#moves.apply(row, { answer: answer.state }, { by, ...error })
  }
}

const LONGEST_NAME = 64

/** Keeps the setting that a refusal names, because a page shows the refusal at its field, and no other details. */
function commandError({ code, message, details }: ErrorBody): CommandError {
  const field = details?.field
  return { code, message, ...(typeof field === 'string' && field.length <= LONGEST_NAME ? { field } : {}) }
}

function toCommand(row: CommandRow): Command {
  const { commandId, sessionId, cmdSeq, createdAt } = row
  return {
    commandId,
    sessionId,
    ...(cmdSeq === null ? {} : { cmdSeq }),
    author: { userId: row.authorId, name: row.authorName },
    createdAt,
    body: row.body,
  }
}

function wayOf(cmdSeq: number | undefined, kind: string): Way {
  if (cmdSeq !== undefined) return 'ordered'
  return kind === 'session.stop' || kind === 'process.end' ? 'end' : 'turn'
}

function groupBySession(rows: readonly DueRow[]): Map<string, DueRow[]> {
  const groups = new Map<string, DueRow[]>()
  for (const row of rows) {
    const group = groups.get(row.sessionId)
    if (group) group.push(row)
    else groups.set(row.sessionId, [row])
  }
  return groups
}

const reasonsOf = (ends: ReadonlyArray<PromiseSettledResult<unknown>>): unknown[] =>
  ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
