/**
 * The slash commands that the program of a session offers, in a file beside its log (CMD-9): the host writes what the
 * program said when it started, the daemon tells it also while no host runs. A command that is none is left out.
 */
import { type CommandsReply, MOST_COMMANDS, SlashCommand } from '@roundhouse/backend-types'
import { z } from 'zod'
import { readIfThere } from '../files/read-if-there'
import { writeDurably } from '../files/write-durably'
import type { Redactor } from '../redact/redactor'
import { cleanValue } from '../redact/value'

export function writeCommands(file: string, commands: readonly SlashCommand[], redact: Redactor): void {
  const { value } = cleanValue(fitting({ commands: [...commands] }), redact)
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
    return fitting(Told.parse(JSON.parse(text)))
  } catch {
    return null
  }
}

const Told = z.object({ commands: z.array(z.unknown()), complete: z.boolean().optional() })

function fitting({ commands, complete }: z.infer<typeof Told>): CommandsReply {
  const kept = commands.flatMap(readable)
  const isAll = complete !== false && kept.length <= MOST_COMMANDS
  return { commands: kept.slice(0, MOST_COMMANDS), ...(isAll ? {} : { complete: false }) }
}

const { name: Name, description: Description, argumentHint: Hint } = SlashCommand.shape
const Loose = z.object({
  name: Name,
  description: z.string(),
  argumentHint: z.string().optional(),
  aliases: z.array(z.unknown()).optional(),
})

function readable(told: unknown): SlashCommand[] {
  const loose = Loose.safeParse(told)
  if (!loose.success) return []
  const { name, description, argumentHint, aliases } = loose.data
  const names = aliases?.filter((alias): alias is string => Name.safeParse(alias).success).slice(0, 16)
  return [
    {
      name,
      description: description.slice(0, Description.maxLength ?? undefined),
      ...(argumentHint === undefined
        ? {}
        : { argumentHint: argumentHint.slice(0, Hint.unwrap().maxLength ?? undefined) }),
      ...(names ? { aliases: names } : {}),
    },
  ]
}
