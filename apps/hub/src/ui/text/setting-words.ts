/** The labels of a session's settings, as its pickers show them, without asking the machine. Pure. */
import type { ManifestChoice, Sandbox } from '@roundhouse/backend-types'

const sandboxWords: Record<Sandbox, string> = {
  'read-only': 'Read only',
  'workspace-write': 'Write in folder',
  'full-access': 'Full access',
}

export function sandboxLabel(sandbox: string | undefined): string {
  return sandbox !== undefined && Object.hasOwn(sandboxWords, sandbox) ? sandboxWords[sandbox as Sandbox] : 'unknown'
}

/** The machine's own label. A mode that the machine does not offer is shown by its code. */
export function modeLabel(mode: string, offered: readonly Pick<ManifestChoice, 'code' | 'label'>[] = []): string {
  return offered.find(({ code }) => code === mode)?.label ?? mode
}
