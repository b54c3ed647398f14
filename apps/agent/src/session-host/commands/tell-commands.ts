/**
 * An orchestrator's command for the program (BUS): the tool call that waits for it gets it as its result, else it becomes a line of
 * text, in the running turn where the program takes one there, or as the next prompt. It reaches the program once.
 */
import { CodedError, Command, type CommandOf, type PermissionAsk, type QueueEntry } from '@roundhouse/backend-types'
import type { Phase } from '@roundhouse/bus'
import type { Journal } from '../journal/journal'
import { commandLine } from '../tools/command-line'
import type { Publisher } from '../tools/publisher'
import type { OrchestratorCommand, WaitingCalls } from '../tools/waiting-calls'
import type { TurnState } from '../turns/turn-state'
import type { Accepted } from './accepted'
import type { CommandResults } from './command-results'
import type { PromptCommands } from './prompt-commands'

export interface TellPorts {
  journal: Journal
  turns: Pick<TurnState, 'waiting' | 'replaceQueue'>
  waiting: WaitingCalls
  publisher: Pick<Publisher, 'force'>
  prompts: Pick<PromptCommands, 'steer'>
  results: CommandResults
  /** Requests for permission that wait for a person. */
  requests(): readonly PermissionAsk[]
}

export class TellCommands {
  constructor(private readonly ports: TellPorts) {}

  tell(command: Command, body: CommandOf<'program.tell'>): Accepted {
    this.requireNoPermission(body)
    const told = orchestratorCommand(command, body)
    return { run: () => this.carryOut(command, told) }
  }

  /** The commands that wait as prompts. They leave the queue with this, and no turn begins with them. */
  async takeQueued(): Promise<OrchestratorCommand[]> {
    const { turns, journal, results } = this.ports
    const queued = turns.waiting.entries.flatMap((entry) => this.toldBy(entry) ?? [])
    if (queued.length === 0) return []
    const taken = new Set(queued.map(({ commandId }) => commandId))
    const entries = turns.waiting.entries.filter(({ commandId }) => !taken.has(commandId))
    await journal.write({
      ...turns.replaceQueue({ ...turns.waiting, entries }),
      moved: [...taken].map((commandId) => ({ commandId, state: 'done' as const })),
    })
    for (const commandId of taken) void results.news(commandId, { state: 'done' })
    return queued
  }

  private async carryOut(command: Command, told: OrchestratorCommand): Promise<void> {
    const { journal, waiting, publisher, prompts, results } = this.ports
    const { commandId } = command
    if (told.name === 'set_phase' && typeof told.data.phase === 'string') publisher.force(told.data.phase as Phase)
    if (waiting.waitsFor(told)) {
      // Before it is heard: a host that dies in between must not tell it a second time.
      await journal.write({ moved: [{ commandId, state: 'started' }] })
      if (waiting.answer(told)) {
        await results.settle(commandId, { state: 'done' })
        return
      }
    }
    const line = { kind: 'prompt.send', promptId: commandId, text: commandLine(told) } as const
    await prompts.steer(command, line).run?.()
  }

  private requireNoPermission({ correlationId }: CommandOf<'program.tell'>): void {
    const isPermission = this.ports
      .requests()
      .some(({ requestId, callId }) => correlationId === requestId || correlationId === callId)
    if (isPermission)
      throw new CodedError('FORBIDDEN', 'A command on the bus decides no permission request. A person decides it.', {
        correlationId,
      })
  }

  private toldBy({ commandId }: QueueEntry): OrchestratorCommand | null {
    const row = this.ports.journal.log.rows.inboxRow(commandId)
    if (row?.kind !== 'program.tell') return null
    const command = Command.parse(JSON.parse(row.body))
    return command.body.kind === 'program.tell' ? orchestratorCommand(command, command.body) : null
  }
}

const orchestratorCommand = (
  { commandId }: Command,
  { name, correlationId, data }: CommandOf<'program.tell'>,
): OrchestratorCommand => ({ commandId, name, data, ...(correlationId === undefined ? {} : { correlationId }) })
