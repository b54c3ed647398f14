/**
 * Turns the reports of a running backend into events and live text, in their order (LOG-4, LOG-5, LOG-8). Nothing here
 * throws, whatever a program prints: what cannot be recorded is noted as unreadable.
 */
import type {
  BackendConfiguration,
  BackendOutput,
  ExitInfo,
  LiveDelta,
  ReportedTask,
  SessionEvent,
  SessionStartedInfo,
  SlashCommand,
  TokenBudgetWarning,
  TurnCompleteInfo,
} from '@roundhouse/backend-types'
import type { LogChange } from '../../log/statements'
import type { Redactor } from '../../redact/redactor'
import type { Journal } from '../journal/journal'
import {
  fitBudget,
  fitLive,
  fitOutput,
  fitTask,
  fitTurnEnd,
  idOf,
  progressBlock,
  requireChange,
} from '../program/fit-reports'
import type { ProgramIds } from '../program/program-ids'
import type { RunningBackend } from '../program/program-runner'
import { type AskedRequest, askedRequest, withShownTool } from '../program/shown-tool'
import type { ConversationKeeper } from '../settings/conversation-keeper'
import { conversationStarted } from '../settings/identity-plan'
import { withPrinted } from './background-tasks'
import type { LiveBlocks } from './live-blocks'
import type { RawRing } from './raw-ring'
import type { TaskOutputs } from './task-outputs'

export interface PumpPorts {
  journal: Journal
  conversation: ConversationKeeper
  live: LiveBlocks
  outputs: TaskOutputs
  /** The program's own ids of what it must be told by that id. */
  ids: ProgramIds
  ring: RawRing
  redact: Redactor
  isCurrent(running: RunningBackend): boolean
  /** True for a program that was told to end and whose output until then counts. */
  hearsLastWords(running: RunningBackend): boolean
  turnId(): string | undefined
  turnStarted(running: RunningBackend): void
  turnCompleted(info: TurnCompleteInfo): void
  asked(procId: string, request: AskedRequest): void
  withdrawn(callId: string): void
  exited(running: RunningBackend, code: number | null, info: ExitInfo | undefined): void
  /** The program changed to another mode than the host set. */
  modeChanged(running: RunningBackend, mode: string): void
  settingsChanged(running: RunningBackend, change: BackendConfiguration): void
  commands(commands: readonly SlashCommand[]): void
  budget(running: RunningBackend, warning: TokenBudgetWarning): void
  background(running: readonly ReportedTask[]): void
  /** Called for every report. */
  activity(): void
}

export class OutputPump {
  constructor(private readonly ports: PumpPorts) {}

  attach(running: RunningBackend): void {
    const { adapter, process } = running
    const { ports } = this
    const hearing =
      (counts: () => boolean) =>
      <A extends unknown[]>(handle: (...args: A) => void) =>
      (...args: A) => {
        if (!counts()) return
        ports.activity()
        try {
          handle(...args)
        } catch (error) {
          this.note('unreadable_output', error)
        }
      }
    /** A process that counts as gone makes no requests and starts nothing. */
    const heard = hearing(() => ports.isCurrent(running))
    const said = hearing(() => ports.isCurrent(running) || ports.hearsLastWords(running))
    adapter.onSessionStarted?.(
      process,
      heard((info) => this.started(running, info)),
    )
    adapter.onOutput(
      process,
      said((output) => this.output(running, fitOutput(output))),
    )
    adapter.onLive?.(
      process,
      said((delta) => this.live(running, fitLive(delta))),
    )
    adapter.onPermissionRequest?.(
      process,
      heard((request) => {
        const asked = askedRequest(request, adapter)
        ports.asked(running.procId, { ...asked, callId: ports.ids.keep(request.callId) })
      }),
    )
    adapter.onPermissionWithdrawn?.(
      process,
      heard((callId) => ports.withdrawn(idOf(callId))),
    )
    adapter.onModeChanged?.(
      process,
      heard((mode) => ports.modeChanged(running, requireChange({ mode }).mode)),
    )
    adapter.onSettingsChanged?.(
      process,
      heard((change) => ports.settingsChanged(running, requireChange(change))),
    )
    adapter.onCommands?.(
      process,
      heard((commands) => ports.commands(commands)),
    )
    adapter.onTurnStarted?.(
      process,
      heard(() => ports.turnStarted(running)),
    )
    adapter.onTurnComplete?.(
      process,
      heard((info) => ports.turnCompleted(fitTurnEnd(info))),
    )
    adapter.onBackground?.(
      process,
      heard((tasks) => {
        for (const { taskId } of tasks) ports.ids.keep(taskId)
        ports.background(tasks.map(fitTask))
      }),
    )
    adapter.onTokenBudgetWarning?.(
      process,
      heard((warning) => {
        const told = fitBudget(warning)
        if (told) ports.budget(running, told)
      }),
    )
    adapter.onError?.(
      process,
      heard((error) => this.note('backend_error', error)),
    )
    adapter.onExit?.(
      process,
      heard((code, info) => ports.exited(running, code, info)),
    )
  }

  /** Called at each spawn, and when a program continues under another id. The next spawn resumes that id. */
  private started(running: RunningBackend, info: SessionStartedInfo): void {
    const { backendSessionId, provisional, resumed = running.resumed } = info
    void this.record(
      {
        kind: 'session_started',
        ...this.place(running),
        backendSessionId: idOf(backendSessionId),
        resumed,
        ...(provisional ? { provisional } : {}),
      },
      this.ports.conversation.goOnWith(conversationStarted(backendSessionId, provisional === true)),
    )
  }

  private output(running: RunningBackend, output: BackendOutput): void {
    const place = this.place(running)
    switch (output.kind) {
      case 'raw':
        this.ports.ring.add(this.ports.redact(JSON.stringify(output.payload) ?? '').text)
        return
      case 'tool_progress': {
        const { callId, text, parentCallId } = output
        if (this.ports.outputs.heard(callId, text)) return
        const header = { blockId: progressBlock(callId), kind: 'tool_progress', callId, parentCallId } as const
        this.ports.live.add({ ...header, ...place, afterSeq: this.ports.journal.log.lastSeq }, text)
        return
      }
      case 'assistant_text':
      case 'thinking': {
        const finished = output.blockId === undefined ? () => {} : this.ports.live.finish(output.blockId)
        this.record({ ...output, ...place }).then(finished, () => {})
        return
      }
      case 'tool_result': {
        const finished = this.ports.live.finish(progressBlock(output.callId))
        this.record({ ...output, ...place }).then(finished, () => {})
        return
      }
      case 'system':
        void this.record({ ...withPrinted(output, (callId) => this.ports.outputs.printed(callId)), ...place })
        return
      case 'tool_use':
        void this.record({ ...withShownTool(output, running.adapter), ...place })
        return
      case 'plan':
        void this.record({ ...output, ...place })
        return
    }
  }

  private live(running: RunningBackend, delta: LiveDelta): void {
    const { blockId, kind, text, parentCallId, discarded } = delta
    if (discarded) {
      this.ports.live.discard(blockId)
      return
    }
    const header = { blockId, kind, parentCallId, ...this.place(running) }
    this.ports.live.add({ ...header, afterSeq: this.ports.journal.log.lastSeq }, text)
  }

  private note(subtype: 'unreadable_output' | 'backend_error', error: unknown): void {
    const message = error instanceof Error ? error.message.slice(0, 2_000) : String(error).slice(0, 2_000)
    void this.record({ kind: 'system', subtype, data: { message } })
  }

  private record(event: SessionEvent, change?: LogChange): Promise<number> {
    return this.ports.journal.record([event], change)
  }

  private place(running: RunningBackend): { procId: string; turnId?: string } {
    const turnId = this.ports.turnId()
    return { procId: running.procId, ...(turnId === undefined ? {} : { turnId }) }
  }
}
