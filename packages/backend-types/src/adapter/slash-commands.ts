/** Commands of a program as a person types them: `/compact keep the names` (CMD-9). */
import { z } from 'zod'

export const MOST_COMMANDS = 400

export const SlashCommand = z.object({
  /** Without the slash. */
  name: z.string().min(1).max(200),
  description: z.string().max(400),
  argumentHint: z.string().max(200).optional(),
  aliases: z.array(z.string().min(1).max(200)).max(16).optional(),
})
export type SlashCommand = z.infer<typeof SlashCommand>

/** The slash commands that a session's program reported at its last start. */
export const CommandsReply = z.object({
  commands: z.array(SlashCommand).max(MOST_COMMANDS),
  /** False: it offers more. Older agents do not say. */
  complete: z.boolean().optional(),
})
export type CommandsReply = z.infer<typeof CommandsReply>

const commandForm = /^\/([\p{L}\p{N}_][\p{L}\p{N}_:.-]{0,199})(?=\s|$)/u

/** The command that a text begins with, or null: `/etc/hosts is wrong` and `/ x` are text. */
export function commandName(text: string): string | null {
  return commandForm.exec(text)?.[1] ?? null
}

export function findCommand(commands: readonly SlashCommand[], name: string): SlashCommand | undefined {
  return commands.find((command) => command.name === name || command.aliases?.includes(name))
}
