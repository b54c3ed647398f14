/**
 * What the rules of the session say about an action (PERM-12): the same readings of a command that grants and the owner's own
 * rules are judged on. When in doubt no rule allows it, and a person is asked.
 */
import {
  type InputShape,
  namesTool,
  type PermissionConfig,
  readToolPattern,
  unwrapShell,
} from '@roundhouse/backend-types'
import { namesOfCommand, wordsOf } from '../../actions/command-names'
import { areAllowedByRules } from '../../actions/covered-by-rules'
import { type Surroundings, staysInFolders } from '../../actions/reads-only'
import { isAskedByRules } from '../../commands/command-rules'
import { isDeniedByRule } from '../../commands/denied-commands'
import { isInside } from '../../files/is-inside'
import type { AskedRequest } from '../program/shown-tool'
import { type ActionNow, isAllowedByGrants } from './ask'

export type RuleVerdict =
  /** `by`: the pattern, or several that cover a line together. */
  | { kind: 'deny' | 'allow'; by: string }
  /** A rule may deny it: only a person can tell. */
  | { kind: 'person' }
  | { kind: 'none' }

export interface Asked {
  request: AskedRequest
  looked: Pick<ActionNow, 'doubts' | 'wide' | 'action'>
  around: Surroundings
  /** Nothing runs unasked in a session that may only read. */
  readsOnly: boolean
}

export function judgeByRules(rules: PermissionConfig | undefined, asked: Asked): RuleVerdict {
  const { allowPatterns = [], disallowPatterns = [] } = rules ?? {}
  const denied = deniedBy(disallowPatterns, asked)
  if (denied) return denied
  const by = mayBeAllowed(asked) ? allowedBy(allowPatterns, asked) : null
  return by === null ? { kind: 'none' } : { kind: 'allow', by }
}

/** Asked when no rule and no grant has decided. */
export function judgeByDefault({ defaultDecision }: PermissionConfig = {}, asked: Asked): 'allow' | 'deny' | 'prompt' {
  if (defaultDecision === 'deny') return isAllowedByGrants(asked.request) ? 'deny' : 'prompt'
  return defaultDecision === 'allow' && mayBeAllowed(asked) ? 'allow' : 'prompt'
}

const mayBeAllowed = ({ request, looked, readsOnly }: Asked): boolean =>
  isAllowedByGrants(request) && looked.doubts.length === 0 && !readsOnly

function deniedBy(patterns: readonly string[], asked: Asked): RuleVerdict | null {
  const { toolName, shape, input } = asked.request
  const text = commandIn(input, shape)
  let isUnknown = false
  for (const pattern of patterns) {
    const read = readToolPattern(pattern)
    if (read?.kind === 'tool' && namesTool(read.toolName, toolName, shape?.kind === 'command')) {
      return { kind: 'deny', by: pattern }
    }
    if (read?.kind !== 'commands' || text === null) continue
    const found = isDeniedByRule(text, read.rule, wordsOf({ command: text }, asked.around.cwd))
    if (found === 'yes') return { kind: 'deny', by: pattern }
    isUnknown ||= found === 'unknown' || namesOfCommand({ command: text }, asked.around.cwd).unknown.length > 0
  }
  return isUnknown ? { kind: 'person' } : null
}

function allowedBy(patterns: readonly string[], { request, looked, around }: Asked): string | null {
  const { toolName, shape } = request
  const { wide } = looked
  const read = patterns.flatMap((pattern) => ({ pattern, ...(readToolPattern(pattern) ?? { kind: 'none' as const }) }))
  const tool = read.find((one) => one.kind === 'tool' && namesTool(one.toolName, toolName, shape?.kind === 'command'))
  if (tool && staysHere(request, looked, around)) return tool.pattern
  if (wide?.kind !== 'command') return null
  const rules = read.flatMap((one) => (one.kind === 'commands' ? one : []))
  const named = rules.map(({ rule }) => rule)
  if (!areAllowedByRules(wide.text, named, around)) return null
  return rules.flatMap(({ rule, pattern }) => (isAskedByRules(wide.text, [rule]) ? pattern : [])).join(', ')
}

/** A rule for a whole tool does not cover places outside the session's folders. */
function staysHere({ input, shape }: AskedRequest, { wide, action }: Asked['looked'], around: Surroundings): boolean {
  if (shape?.kind === 'command') {
    const { words, patterns, unknown } = namesOfCommand({ command: commandIn(input, shape) ?? '' }, action.cwd)
    return patterns.length + unknown.length === 0 && staysInFolders(words, around)
  }
  if (!changesFiles(shape)) return true
  return wide?.kind === 'edits' && wide.files.every((file) => around.folders.some((folder) => isInside(file, folder)))
}

const changesFiles = (shape: InputShape | undefined): boolean =>
  shape?.kind === 'write' || shape?.kind === 'edit' || shape?.kind === 'edit_file' || shape?.kind === 'patches'

function commandIn(input: unknown, shape: InputShape | undefined): string | null {
  if (shape?.kind !== 'command') return null
  const command = (input as Record<string, unknown> | null | undefined)?.[shape.command]
  if (typeof command !== 'string') return null
  return shape.wrapped ? unwrapShell(command) : command
}
