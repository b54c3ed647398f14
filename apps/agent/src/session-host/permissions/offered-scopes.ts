/**
 * The scopes that "allow for session" may offer, from exactly this action to the widest certain one (PERM-5), and the
 * check whether a scope covers an action.
 */
import path from 'node:path'
import { type GrantScope, type OfferedScope, toolLabel } from '@roundhouse/backend-types'
import type { JudgedScope } from '@roundhouse/delivery'
import { isCommandOf, isVisibleIn, type WideAction } from '../../actions/wide-action'
import { ownBeginnings, suggestedBeginnings } from '../../commands/offered-beginnings'

const MOST_SCOPES = 6
/** Nobody can choose among hundreds of words. */
const MOST_SUGGESTED = 8

/** What `allow_session` covers if a person chooses nothing else (PERM-5.7). */
export const exactScope: Omit<OfferedScope, 'scopeId'> = { scope: { kind: 'exact' }, label: 'exactly this action' }

type WiderScope = Exclude<GrantScope, { kind: 'exact' | 'folder' }>

export function coversAction(scope: JudgedScope, action: WideAction | null): boolean {
  if (action?.kind === 'command') {
    return (
      scope.kind === 'commands' &&
      scope.toolName === action.toolName &&
      scope.folder === action.folder &&
      isCommandOf(action, scope.beginnings)
    )
  }
  if (action?.kind !== 'edits') return false
  if (scope.kind === 'edit_file') return action.files.every((file) => file === scope.file)
  return scope.kind === 'edit_folder' && action.files.every((file) => isVisibleIn(file, scope.folder))
}

/** Returns none if exactly this action is the only certain scope. Each scope covers the action that asks. */
export function offeredScopes(
  action: WideAction | null,
  { roots, suggested = [] }: { roots: readonly string[]; suggested?: readonly (readonly string[])[] | undefined },
): OfferedScope[] {
  const wider = widerScopes(action, roots, suggested)
  if (wider.length === 0) return []
  const all = [exactScope, ...wider.map((scope) => ({ scope, label: labelOf(scope) }))]
  return all.slice(0, MOST_SCOPES).map((one, index) => ({ scopeId: `${one.scope.kind}-${index}`, ...one }))
}

function widerScopes(
  action: WideAction | null,
  roots: readonly string[],
  suggested: readonly (readonly string[])[],
): WiderScope[] {
  switch (action?.kind) {
    case 'command':
      return commandScopes(action, suggested)
    case 'edits':
      return editScopes(action.files, roots).filter((scope) => coversAction(scope, action))
    case 'mcp_tool':
      return [{ kind: 'tool', toolName: action.toolName }]
    case undefined:
      return []
  }
}

function commandScopes(
  action: Extract<WideAction, { kind: 'command' }>,
  suggested: readonly (readonly string[])[],
): JudgedScope[] {
  const { toolName, text, folder } = action
  const found = [
    ownBeginnings(text),
    suggested.length > MOST_SUGGESTED ? null : suggestedBeginnings(suggested, text),
  ].filter((beginnings) => beginnings !== null)
  const scopes = found.map((beginnings): JudgedScope => {
    return { kind: 'commands', toolName, beginnings: beginnings.map((words) => [...words]), folder }
  })
  const different = [...new Map(scopes.map((scope) => [JSON.stringify(scope), scope])).values()]
  return different.filter((scope) => coversAction(scope, action))
}

function editScopes(files: readonly string[], roots: readonly string[]): JudgedScope[] {
  const [first = '', ...others] = files
  const scopes: JudgedScope[] = others.length === 0 ? [{ kind: 'edit_file', file: first }] : []
  const folder = others.map((file) => path.dirname(file)).reduce(sharedFolder, path.dirname(first))
  const isOffered = roots.some((root) => root === folder || isVisibleIn(folder, root))
  return isOffered ? [...scopes, { kind: 'edit_folder', folder }] : scopes
}

function sharedFolder(one: string, other: string): string {
  const steps = one.split(path.sep)
  const theirs = other.split(path.sep)
  const differs = steps.findIndex((step, index) => step !== theirs[index])
  return steps.slice(0, differs < 0 ? undefined : differs).join(path.sep) || path.sep
}

function labelOf(scope: WiderScope): string {
  switch (scope.kind) {
    case 'tool':
      return `every call of ${toolLabel(scope.toolName)}`
    case 'commands':
      return `commands that begin with ${scope.beginnings.map((words) => `“${words.join(' ')}”`).join(' or ')}, in ${scope.folder}`
    case 'edit_file':
      return `edits of ${scope.file}`
    case 'edit_folder':
      return `edits of files in ${scope.folder} and below it, hidden files left out`
  }
}
