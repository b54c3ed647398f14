/**
 * Hands what a running backend reports to whoever it is for, in the order in which it came (LOG-4). Whatever a program
 * prints, nothing here throws: what cannot be recorded is noted as unreadable.
 */
import type { ExitInfo, TurnCompleteInfo } from '@roundhouse/backend-types'
import { fitBudget, fitLive, fitOutput, fitTask, fitTurnEnd, idOf, requireChange } from '../program/fit-reports'
import type { ProgramIds } from '../program/program-ids'
import type { ProgramRunner, RunningBackend } from '../program/program-runner'
import { type AskedRequest, askedRequest } from '../program/shown-tool'
import type { ToldSettings } from '../program/told-settings'
import type { BackgroundControl } from './background-control'
import type { OutputRecorder } from './output-recorder'

export interface PumpPorts {
  recorder: OutputRecorder
  /** The program's own ids of what it must be told by that id. */
  ids: ProgramIds
  runner: Pick<ProgramRunner, 'isCurrent'>
  turns: {
    begun(running: RunningBackend): void
    completed(info: TurnCompleteInfo): void
  }
  asks: {
    ask(procId: string, request: AskedRequest): void
    withdraw(callId: string): void
  }
  settings: Pick<ToldSettings, 'mode' | 'changed' | 'commands' | 'budget'>
  background: Pick<BackgroundControl, 'told'>
  ends: {
    crashed(running: RunningBackend, code: number | null, info: ExitInfo | undefined): void
    /** True for a program that was told to end and whose output until then counts. */
    hears(running: RunningBackend): boolean
  }
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
          ports.recorder.note('unreadable_output', error)
        }
      }
    /** A process that counts as gone makes no requests and starts nothing. */
    const heard = hearing(() => ports.runner.isCurrent(running))
    const said = hearing(() => ports.runner.isCurrent(running) || ports.ends.hears(running))
    adapter.onSessionStarted?.(
      process,
      heard((info) => ports.recorder.started(running, info)),
    )
    adapter.onOutput(
      process,
      said((output) => ports.recorder.output(running, fitOutput(output))),
    )
    adapter.onLive?.(
      process,
      said((delta) => ports.recorder.live(running, fitLive(delta))),
    )
    adapter.onPermissionRequest?.(
      process,
      heard((request) => {
        const asked = askedRequest(request, adapter)
        ports.asks.ask(running.procId, { ...asked, callId: ports.ids.keep(request.callId) })
      }),
    )
    adapter.onPermissionWithdrawn?.(
      process,
      heard((callId) => ports.asks.withdraw(idOf(callId))),
    )
    adapter.onModeChanged?.(
      process,
      heard((mode) => ports.settings.mode(running, requireChange({ mode }).mode)),
    )
    adapter.onSettingsChanged?.(
      process,
      heard((change) => ports.settings.changed(running, requireChange(change))),
    )
    adapter.onCommands?.(
      process,
      heard((commands) => ports.settings.commands(commands)),
    )
    adapter.onTurnStarted?.(
      process,
      heard(() => ports.turns.begun(running)),
    )
    adapter.onTurnComplete?.(
      process,
      heard((info) => ports.turns.completed(fitTurnEnd(info))),
    )
    adapter.onBackground?.(
      process,
      heard((tasks) => {
        for (const { taskId } of tasks) ports.ids.keep(taskId)
        ports.background.told(tasks.map(fitTask))
      }),
    )
    adapter.onTokenBudgetWarning?.(
      process,
      heard((warning) => {
        const told = fitBudget(warning)
        if (told) ports.settings.budget(running, told)
      }),
    )
    adapter.onError?.(
      process,
      heard((error) => ports.recorder.note('backend_error', error)),
    )
    adapter.onExit?.(
      process,
      heard((code, info) => ports.ends.crashed(running, code, info)),
    )
  }
}
