/**
 * Handles an incoming command (CMD-2). A repeat gets its first answer. Then the machine's policy decides. Then the session's
 * host writes the command to its inbox on disk; only then is it accepted. Commands of a session keep their order; commands
 * about the running turn may overtake them.
 */
import {
  CodedError,
  type Command,
  type CommandAnswer,
  commandsThatNeedRoom,
  type DiskTrouble,
  errorTable,
  isLack,
  toCodedError,
  unorderedCommands,
} from '@roundhouse/backend-types'
import { diskError, isLockedLog } from '../../files/disk-trouble'
import { judgeCommand, judgedCommands, type SessionRules } from '../../policy/judge'
import { pausedError } from '../../policy/pause'
import type { Policy } from '../../policy/policy'
import { pathsOf, type RealPaths } from '../../policy/real-paths'
import { ownCommand } from '../home/own-command'
import type { PromptImages } from './prompt-images'

/** The parts of the machine that judge a command. */
interface MachinePorts {
  policy(): Policy & Pick<SessionRules, 'agentPlaces'>
  /** Why a backend's version is not allowed here, by backend. */
  wrongVersions(): Readonly<Record<string, string>>
  /** The real paths of these paths. Throws if they cannot be known now. */
  see(paths: string[]): Promise<RealPaths>
  /** FLOW-4: why the disk takes no writes, or null. With an error: whether the disk may be its cause. */
  diskTrouble(error?: unknown): DiskTrouble | null
  /** The owner paused this machine, so nothing that a hub asks for is done. */
  paused(): boolean
}

/** The parts of the session that handle a command. */
interface SessionPorts {
  exists(sessionId: string): boolean
  /** The result of a command that was received here before, or null. */
  answerOf(sessionId: string, commandId: string): CommandAnswer | null
  /** The refusal that every host of the session would give, if no host runs. Otherwise null. */
  refusedAtRest(command: Command): CodedError | null
  /** The images of a prompt, which are on this disk before the prompt is accepted. */
  images: Pick<PromptImages, 'fetch' | 'forget'>
  /** Hands the command to the session's host, which starts if none runs. */
  forward(command: Command, withPlace: boolean): Promise<CommandAnswer>
  cancel(sessionId: string, commandId: string): Promise<CommandAnswer>
  erase(sessionId: string): Promise<void>
  /**
   * Waits for a free place among the running programs. False: the place comes later, and the prompt may be accepted
   * without one.
   */
  enter(command: Command): Promise<boolean>
  entered(sessionId: string): void
  /** True if the command was waiting for a place, so it was never accepted. */
  leaveQueue(commandId: string): boolean
}

export interface RouterPorts extends MachinePorts, SessionPorts {
  /** The answer came too late for the hub's request, so it is sent as news. */
  news(sessionId: string, commandId: string, answer: CommandAnswer): void
  record(command: Command, answer: CommandAnswer): void
  /** The cause is unknown, or the machine lacked resources. The machine's owner finds the error in the log. */
  surprised(command: Command, error: CodedError): void
  /** Ms of a monotonic clock. */
  elapsed(): number
}

/** After this time the hub may have stopped waiting for the answer. */
const PATIENCE_MS = 5_000

export class CommandRouter {
  private readonly inHand = new Map<string, Promise<CommandAnswer>>()
  private readonly orders = new Map<string, Promise<unknown>>()

  /** Sessions whose `session.create` is not answered. Their folder may exist before their host knows of them. */
  private readonly beginning = new Set<string>()

  /** Commands that wait for resources of the machine. Each is logged once. */
  private readonly lacking = new Set<string>()
  private closed = false

  private readonly ownCommand = ownCommand(process.argv, process.env)

  constructor(private readonly ports: RouterPorts) {}

  /** The daemon leaves, or its sessions end. Later commands get no answer, so the hub sends them again after the next hello. */
  close(): void {
    this.closed = true
  }

  take(command: Command): Promise<CommandAnswer> {
    if (this.closed) return unanswered()
    const { commandId, sessionId } = command
    const known = this.inHand.get(commandId)
    if (known) return known
    const since = this.ports.elapsed()
    const answer = (this.ports.paused() ? this.whilePaused(command) : this.inOrder(command))
      .then((made) => {
        if (this.closed && made.state === 'refused') return unanswered()
        this.lacking.delete(commandId)
        this.ports.record(command, made)
        if (made.state === 'refused' && diskCodes.has(made.error.code)) this.ports.diskTrouble(made)
        if (this.ports.elapsed() - since > PATIENCE_MS) this.ports.news(sessionId, commandId, made)
        return made
      })
      .finally(() => this.inHand.delete(commandId))
    this.inHand.set(commandId, answer)
    return answer
  }

  async cancel(sessionId: string, commandId: string): Promise<CommandAnswer> {
    if (this.ports.leaveQueue(commandId)) return { state: 'cancelled' }
    const inHand = this.inHand.get(commandId)
    if (inHand) return inHand
    if (!this.ports.exists(sessionId)) return { state: 'cancelled' }
    return this.ports.answerOf(sessionId, commandId) ?? this.ports.cancel(sessionId, commandId)
  }

  /** Does not wait for earlier commands. A command that was received before keeps its answer. */
  private async whilePaused({ sessionId, commandId }: Command): Promise<CommandAnswer> {
    const known = this.ports.exists(sessionId) ? this.ports.answerOf(sessionId, commandId) : null
    return known ?? refused(pausedError())
  }

  private inOrder(command: Command): Promise<CommandAnswer> {
    const { sessionId, body } = command
    const first = this.orders.get(sessionId)
    // Before the session has begun there is nothing to overtake.
    const begun = this.ports.exists(sessionId) && !this.beginning.has(sessionId)
    if (unorderedCommands.has(body.kind) && (first === undefined || begun)) return this.carryOut(command)
    if (body.kind === 'session.create') this.beginning.add(sessionId)
    const before = first ?? Promise.resolve()
    const turn = before.then(() => this.carryOut(command))
    const settled = turn.catch(() => {})
    this.orders.set(sessionId, settled)
    void settled.then(() => {
      if (body.kind === 'session.create') this.beginning.delete(sessionId)
      if (this.orders.get(sessionId) === settled) this.orders.delete(sessionId)
    })
    return turn
  }

  private async carryOut(command: Command): Promise<CommandAnswer> {
    const { commandId, sessionId, body } = command
    const exists = this.ports.exists(sessionId)
    const known = exists ? this.ports.answerOf(sessionId, commandId) : null
    if (known) return known
    if (body.kind === 'session.delete') return this.delete(sessionId)
    if (!exists && body.kind !== 'session.create') return refused(new CodedError('SESSION_NOT_FOUND'))
    const atRest = exists ? this.ports.refusedAtRest(command) : null
    if (atRest) return refused(atRest)
    const refusal = (await this.judge(command)) ?? this.diskRefusal(command) ?? (await this.fetchImages(command))
    if (refusal) return refused(refusal)
    const answer = startsProgram(command) ? await this.forwardInTurn(command) : await this.forward(command, false)
    if (answer.state === 'refused') this.ports.images.forget(command)
    // A session that never began leaves nothing behind. If the daemon is leaving, the session may have begun.
    if (!exists && !this.closed && answer.state === 'refused') await this.ports.erase(sessionId).catch(() => {})
    return answer
  }

  private async forwardInTurn(command: Command): Promise<CommandAnswer> {
    let placed: boolean
    try {
      placed = await this.ports.enter(command)
    } catch (error) {
      const coded = toCodedError(error)
      // A cancel withdraws it; any other result is reported.
      return coded.code === 'COMMAND_EXPIRED' ? { state: 'cancelled' } : refused(coded)
    }
    try {
      const refusal = this.ports.paused() ? pausedError() : this.diskRefusal(command)
      return refusal ? refused(refusal) : await this.forward(command, placed)
    } finally {
      if (placed) this.ports.entered(command.sessionId)
    }
  }

  private async judge(command: Command): Promise<CodedError | null> {
    if (!judgedCommands.has(command.body.kind)) return null
    try {
      const { policy, wrongVersions, see, paused } = this.ports
      const paths = pathsOf(command.body)
      const real = paths.length > 0 ? await see(paths) : {}
      if (paused()) return pausedError() // meanwhile
      const rules = { ...policy(), wrongVersions: wrongVersions(), ownCommand: this.ownCommand }
      return judgeCommand(rules, command, real)
    } catch (error) {
      if (isLack(error)) throw this.later(command, toCodedError(error))
      return toCodedError(error)
    }
  }

  private async fetchImages(command: Command): Promise<CodedError | null> {
    try {
      await this.ports.images.fetch(command)
      return null
    } catch (error) {
      const trouble = this.ports.diskTrouble(error)
      if (trouble) return diskError(trouble, error)
      const coded = toCodedError(error)
      // A broken link is among these errors: the hub sends the command again on the next link.
      if (errorTable[coded.code].retryable) throw this.later(command, coded)
      return coded
    }
  }

  /** Nobody received the command, so it is not refused, and the hub sends it again. */
  private later(command: Command, lack: CodedError): CodedError {
    if (!this.lacking.has(command.commandId)) this.ports.surprised(command, lack)
    this.lacking.add(command.commandId)
    return lack
  }

  private async forward(command: Command, withPlace: boolean): Promise<CommandAnswer> {
    try {
      return await this.ports.forward(command, withPlace)
    } catch (error) {
      // The host may have put it on disk and died before it could say so.
      const known = this.ports.exists(command.sessionId)
        ? this.ports.answerOf(command.sessionId, command.commandId)
        : null
      if (known) return known
      const coded = toCodedError(error)
      // The daemon leaves, and nobody refused the command. The hub sends it to the next daemon.
      if (coded.code === 'AGENT_OFFLINE') throw coded
      if (isLack(coded) || isLockedLog(coded)) throw this.later(command, coded)
      if (coded.code === 'INTERNAL') this.ports.surprised(command, coded)
      const trouble = coded.code === 'INTERNAL' ? this.ports.diskTrouble(error) : null
      return refused(trouble ? diskError(trouble, error) : coded)
    }
  }

  /** Commands that need no disk space, or free some, are never refused. The host that asked judges a decision. */
  private diskRefusal({ body }: Command): CodedError | null {
    if (!commandsThatNeedRoom.has(body.kind)) return null
    const trouble = this.ports.diskTrouble()
    return trouble && diskError(trouble)
  }

  private async delete(sessionId: string): Promise<CommandAnswer> {
    await this.ports.erase(sessionId)
    return { state: 'done' }
  }
}

/** The disk refused a host, which may notice first. */
const diskCodes: ReadonlySet<string> = new Set(['DISK_FULL', 'DISK_FAILING'])

/** Commands after which a backend's program may start. */
function startsProgram({ body }: Command): boolean {
  return (
    body.kind === 'prompt.send' ||
    body.kind === 'session.resume' ||
    (body.kind === 'session.create' && body.prompt !== undefined)
  )
}

/** Until the connection ends. */
const unanswered = () => new Promise<CommandAnswer>(() => {})

const refused = (error: CodedError): CommandAnswer => ({ state: 'refused', error: error.toBody() })
