/** Its slash commands (CMD-9). Like any prompt they play their script, or the tour where they have none. */
import { CodedError, commandName, type SlashCommand } from '@roundhouse/backend-types'

export const commands: SlashCommand[] = [
  { name: 'script', description: 'Play a script', argumentHint: 'SCRIPT: [steps]' },
  { name: 'tour', description: 'Show what a transcript can show', aliases: ['demo'] },
]

export function refuseCommand(text: string): CodedError | null {
  if (commandName(text) !== 'policy') return null
  const message = "/policy changes settings. This machine's policy decides that, not a prompt."
  return new CodedError('POLICY_DENIED', message, { rule: 'slashCommands', command: 'policy' })
}
