/** Settings of a session in the words of their pickers, where nobody asks the machine for them. Pure. */
import type { ManifestChoice, Sandbox } from '@roundhouse/backend-types'

const sandboxWords: Record<Sandbox, string> = {
  'read-only': 'Read only',
  'workspace-write': 'Write in folder',
  'full-access': 'Full access',
}

export function sandboxLabel(sandbox: string | undefined): string {
  return sandbox !== undefined && Object.hasOwn(sandboxWords, sandbox) ? sandboxWords[sandbox as Sandbox] : 'unknown'
}

/** As its machine calls it. A mode that is not offered there goes by its code. */
export function modeLabel(mode: string, offered: readonly Pick<ManifestChoice, 'code' | 'label'>[] = []): string {
  return offered.find(({ code }) => code === mode)?.label ?? mode
}
