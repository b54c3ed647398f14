/**
 * Standing permission (PERM-5). A grant is held with the digest of the action it was given for, taken without the
 * process id, since a grant outlives a planned stop of the CLI. When in doubt it does not cover, and a person is asked.
 */
import type { Grant } from '@roundhouse/backend-types'

/** What the host keeps beside the grant that everybody sees. */
export interface HeldGrant extends Grant {
  /** Digest over tool, input, folder and files: all of PERM-8 but the process. */
  actionDigest: string
}

/** An ask as far as grants are concerned. */
export interface GrantQuestion {
  toolName: string
  actionDigest: string
  /** Real paths of everything the action writes; empty where that is not known. */
  realPaths: readonly string[]
  /** Nobody can say all that the action names: only a grant of exactly this text covers it. */
  exactOnly?: boolean
}

export function grantCovers(grant: HeldGrant, ask: GrantQuestion, now: number): boolean {
  if (grant.expiresAt <= now) return false
  const { scope } = grant
  switch (scope.kind) {
    case 'exact':
      return grant.actionDigest === ask.actionDigest
    case 'tool':
      return ask.exactOnly !== true && scope.toolName === ask.toolName
    case 'folder':
      return (
        ask.exactOnly !== true &&
        scope.toolName === ask.toolName &&
        ask.realPaths.length > 0 &&
        ask.realPaths.every((path) => isInside(path, scope.folder))
      )
  }
}

function isInside(path: string, folder: string): boolean {
  // Real paths have no such parts; one that has was not resolved and proves nothing.
  if (folder === '' || path.split(/[/\\]/).some((part) => part === '..' || part === '.')) return false
  const separator = folder.includes('\\') ? '\\' : '/'
  const root = folder.endsWith(separator) ? folder : folder + separator
  return path.startsWith(root)
}
