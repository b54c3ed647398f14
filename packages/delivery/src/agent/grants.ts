/**
 * Standing permission (PERM-5). A grant is held with the digest of the action it was given for, taken without the
 * process id, since a grant outlives a planned stop of the CLI. When in doubt it does not cover, and a person is asked.
 */
import type { Grant, GrantScope } from '@roundhouse/backend-types'

/** What the host keeps beside the grant that everybody sees. */
export interface HeldGrant extends Grant {
  /** Digest over tool, input, folder and files: all of PERM-8 but the process. */
  actionDigest: string
  /** The decision that left it. */
  commandId?: string
}

/** Scopes of which only the machine can say what lies in them. */
export type JudgedScope = Extract<GrantScope, { kind: 'commands' | 'edit_file' | 'edit_folder' }>

/** An ask as far as grants are concerned. */
export interface GrantQuestion {
  toolName: string
  actionDigest: string
  /** Nobody can say all that the action names: only a grant of exactly this text covers it. */
  exactOnly?: boolean
  covers?(scope: JudgedScope): boolean
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
      return false // no host offers this scope
    case 'commands':
    case 'edit_file':
    case 'edit_folder':
      return ask.exactOnly !== true && ask.covers?.(scope) === true
  }
}
