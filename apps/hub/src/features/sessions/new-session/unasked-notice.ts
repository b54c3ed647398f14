import type { BackendManifestEntry } from '@roundhouse/backend-types'

/** Warns of a program that may act without asking. Of one that is not installed nothing is known. Pure. */
export function unaskedNotice(
  backend: Pick<BackendManifestEntry, 'label' | 'installed' | 'capabilities'> | undefined,
): string | undefined {
  if (!backend?.installed || backend.capabilities.supportsPermissions) return undefined
  return `${backend.label} may run commands and change files without asking you. Roundhouse cannot make it ask.`
}
