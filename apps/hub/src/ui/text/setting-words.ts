/** Settings of a session in the words of their pickers, where nobody asks the machine for them. Pure. */
import type { Sandbox } from '@roundhouse/backend-types'

const sandboxWords: Record<Sandbox, string> = {
  'read-only': 'Read only',
  'workspace-write': 'Write in folder',
  'full-access': 'Full access',
}

export function sandboxLabel(sandbox: string | undefined): string {
  return sandbox !== undefined && Object.hasOwn(sandboxWords, sandbox) ? sandboxWords[sandbox as Sandbox] : 'unknown'
}

/** Of Claude Code and of Codex. */
const modeWords: Record<string, string> = {
  default: 'Ask',
  acceptEdits: 'Accept edits',
  plan: 'Plan',
  bypassPermissions: 'Bypass permissions',
  dontAsk: 'Don’t ask',
  auto: 'Auto',
  'on-request': 'Ask when needed',
  untrusted: 'Ask before every command',
  never: 'Never ask',
}

/** A mode of another program is called as that calls it. */
export function modeLabel(mode: string): string {
  return Object.hasOwn(modeWords, mode) ? (modeWords[mode] as string) : mode
}
