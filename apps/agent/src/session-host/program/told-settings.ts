/** What the program says of its settings, its commands and its window, kept where the session keeps it (RES-7). */
import type { BackendConfiguration, SlashCommand, TokenBudgetWarning } from '@roundhouse/backend-types'
import { writeCommands } from '../../host-contract/commands-file'
import type { Redactor } from '../../redact/redactor'
import { followMode, followSettings, type ModePorts } from './follow-mode'
import type { RunningBackend } from './program-runner'

export interface ToldPorts extends ModePorts {
  commandsFile: string
  redact: Redactor
}

export class ToldSettings {
  constructor(private readonly ports: ToldPorts) {}

  mode(running: RunningBackend, mode: string): void {
    followMode(this.ports, running, mode)
  }

  changed(running: RunningBackend, change: BackendConfiguration): void {
    followSettings(this.ports, running, change)
  }

  commands(commands: readonly SlashCommand[]): void {
    writeCommands(this.ports.commandsFile, commands, this.ports.redact)
  }

  budget({ procId, adapter }: RunningBackend, warning: TokenBudgetWarning): void {
    this.ports.settings.budget(procId, warning, adapter.capabilities)
  }
}
