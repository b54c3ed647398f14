/** Commands that change what the policy of the machine governs are no prompts (CMD-9). Pure. */
import { CodedError, commandName } from '@roundhouse/backend-types'
import type { Profile } from '../profiles/profile'

/** What this command changes; undefined for one that a person may send. A list names some with further words. */
export function changedBy({ guard }: Profile, command: string): string | undefined {
  const [first = ''] = command.toLowerCase().split(' ')
  return Object.hasOwn(guard.refusedCommands, first) ? guard.refusedCommands[first] : undefined
}

export function refuseCommand(profile: Profile, text: string): CodedError | null {
  const name = commandName(text)
  const what = name === null ? undefined : changedBy(profile, name)
  if (name === null || what === undefined) return null
  const message = `/${name} changes ${what}. This machine's policy decides that, not a prompt.`
  return new CodedError('POLICY_DENIED', message, { rule: 'slashCommands', command: name })
}
