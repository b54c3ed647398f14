/**
 * What happens to a program's request for permission: the policy of the machine forbids it, nobody needs to be asked, or the
 * client decides. It is the same judgement as of a session that a hub has (POL-1, PERM-10, PERM-11). Reads links, as they are now.
 */
import type { InputShape, PermissionRequest } from '@roundhouse/backend-types'
import { type DenyRule, deniedBy } from '../../actions/denied'
import { realPathOf } from '../../actions/named-paths'
import { runsUnasked } from '../../actions/unasked'
import { wideActionOf } from '../../actions/wide-action'
import { isInside } from '../../files/is-inside'
import { judgeChange, type MachineRules } from './create-rules'

export interface AskPlace {
  workDir: string
  /** Real paths of the folders that the session may use. */
  folders: readonly string[]
  rules: MachineRules
}

export interface Asked extends PermissionRequest {
  shape?: InputShape | undefined
}

export type Ruling = { kind: 'forbidden'; rule: DenyRule } | { kind: 'allow' } | { kind: 'decline' } | { kind: 'ask' }

/** `allowedByHook`: a hook of the client has allowed this call already. */
export function ruleOn(request: Asked, place: AskPlace, allowedByHook: boolean): Ruling {
  const { toolName, input, meta } = request
  // A form of an MCP server: the document has no way to fill it in.
  if (meta?.answerFields?.field === 'content') return { kind: 'decline' }
  const cwd = realPathOf(meta?.cwd ?? place.workDir)
  const rule = deniedBy({ tool: toolName, input, cwd }, place.rules)
  if (rule) return { kind: 'forbidden', rule }
  const { folders, rules } = place
  const around = { cwd, folders, roots: rules.roots, rules }
  const unasked = allowedByHook || runsUnasked(request, wideActionOf(request, input, cwd, rules.roots), around)
  return unasked ? { kind: 'allow' } : { kind: 'ask' }
}

/** The rule that denies this call. Asked again for an input that the client or its hook has changed. */
export const ruleAgainst = (tool: string, input: unknown, { workDir, rules }: AskPlace): DenyRule | null =>
  deniedBy({ tool, input, cwd: realPathOf(workDir) }, rules)

/** The rule that a change of the program's own rules would break: a mode that never asks, or a folder outside of the roots. */
export function ruleAgainstUpdates(updates: readonly unknown[], { rules }: AskPlace): string | null {
  for (const update of updates) {
    const { type, mode, directories } = (update ?? {}) as Record<string, unknown>
    if (type === 'setMode' && judgeChange(rules, { mode: String(mode) })) return 'allowBypassPermissions'
    if (type !== 'addDirectories') continue
    const outside = (Array.isArray(directories) ? directories : []).some(
      (dir) => typeof dir !== 'string' || !rules.roots.some((root) => isInside(realPathOf(dir), root)),
    )
    if (outside) return 'roots'
  }
  return null
}
