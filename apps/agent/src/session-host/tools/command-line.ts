/** How a command reaches a program that does not wait for it: as a line of text, in the words of the event convention. */
import type { OrchestratorCommand } from './waiting-calls'

export function commandLine({ name, commandId, correlationId, data }: OrchestratorCommand): string {
  return `[CLAWS_CMD r=${correlationId ?? commandId}] ${name}: ${JSON.stringify(data)}`
}

/** What a tool call gets. */
export function toldCommand({ name, commandId, correlationId, data }: OrchestratorCommand): Record<string, unknown> {
  return { command: name, r: correlationId ?? commandId, data }
}
