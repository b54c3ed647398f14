/**
 * The slash commands that the program of a session offers, in a file beside its log (CMD-9): the host writes what the
 * program said when it started, the daemon tells it also while no host runs.
 */
import { CommandsReply, MOST_COMMANDS, type SlashCommand } from '@roundhouse/backend-types'
import { readIfThere } from '../files/read-if-there'
import { writeDurably } from '../files/write-durably'
import type { Redactor } from '../redact/redactor'
import { cleanValue } from '../redact/value'

export function writeCommands(file: string, commands: readonly SlashCommand[], redact: Redactor): void {
  const { value } = cleanValue({ commands: commands.slice(0, MOST_COMMANDS) }, redact)
  try {
    writeDurably(file, JSON.stringify(value))
  } catch {
    // On a full disk the page offers those of the last start.
  }
}

/** Null where no program has said anything that makes sense. */
export function readCommands(file: string): CommandsReply | null {
  const text = readIfThere(file)
  if (text === null) return null
  try {
    return CommandsReply.parse(JSON.parse(text))
  } catch {
    return null
  }
}
