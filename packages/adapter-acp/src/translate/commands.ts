/** The slash commands that a program offers, as far as a person's page has room for them. Pure. */

import { asList, asRecord, asText, compact } from '@roundhouse/adapter-kit/read'
import { MOST_COMMANDS, SlashCommand } from '@roundhouse/backend-types'

/** `isRefused`: by the policy, whoever sends it. */
export function commandsOf(listed: unknown, isRefused: (name: string) => boolean): SlashCommand[] {
  const commands = asList(listed).flatMap((entry) => {
    const { name, description, input } = asRecord(entry)
    const command = SlashCommand.safeParse(
      compact({
        name,
        description: (asText(description) ?? '').slice(0, 400),
        argumentHint: asText(asRecord(input).hint)?.slice(0, 200),
      }),
    )
    return command.success && !isRefused(command.data.name) ? [command.data] : []
  })
  return commands.slice(0, MOST_COMMANDS)
}
