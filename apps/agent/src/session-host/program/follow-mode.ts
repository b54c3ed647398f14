/** RES-7: the session's settings follow the program's reports as far as the machine's policy allows. */
import { type BackendConfiguration, toCodedError } from '@roundhouse/backend-types'
import type { HostPolicy } from '../../host-contract/launch-spec'
import type { Journal } from '../journal/journal'
import { mayChange, requireChanges } from '../settings/judge-again'
import { desiredOf } from '../settings/settings'
import type { SettingsKeeper } from '../settings/settings-keeper'
import type { ProgramRunner, RunningBackend } from './program-runner'

export interface ModePorts {
  journal: Journal
  runner: ProgramRunner
  settings: SettingsKeeper
  policy(): HostPolicy
  endProcess(): Promise<void>
}

export function followMode(ports: ModePorts, running: RunningBackend, mode: string): void {
  running.applied = { ...running.applied, mode }
  try {
    requireChanges(ports.policy(), { mode })
  } catch (error) {
    void takeBack(ports, running, mode, toCodedError(error).message)
    return
  }
  ports.settings.follow(running.procId, { mode })
}

/** A command of the program changed its model or thinking level (`/model`). Ignores a name that no session may have. */
export function followSettings(ports: ModePorts, running: RunningBackend, change: BackendConfiguration): void {
  if (!mayChange(ports.policy(), change)) return
  running.applied = { ...running.applied, ...change }
  ports.settings.follow(running.procId, change)
}

/** Ends a program that does not leave a mode in which nobody is asked. */
async function takeBack(ports: ModePorts, { procId }: RunningBackend, mode: string, why: string): Promise<void> {
  const { journal, runner, settings } = ports
  const message = `The program changed to the mode ${mode} and was told to leave it. ${why}`
  void journal.record([{ kind: 'system', procId, subtype: 'warning', data: { message } }])
  const desired = desiredOf(settings.require().settings)
  const left = await runner.configure({ ...desired, mode: desired.mode ?? 'default' }).then(
    () => runner.running?.applied.mode !== mode,
    () => false,
  )
  if (!left) await ports.endProcess()
}
