/**
 * An action in the form that a wider grant can cover (PERM-5): a command with nothing beside it, edits of files, a call of an MCP
 * tool. Paths are real paths. The result is null for any other action, and only a grant of exactly that action covers it.
 */
import { lstatSync } from 'node:fs'
import path from 'node:path'
import { type InputShape, type InputShapeOf, mcpTool } from '@roundhouse/backend-types'
import { type Operand, operandsBehind } from '../commands/command-beginnings'
import { isInside } from '../files/is-inside'
import { isName, namesWithin } from './command-names'
import { runsNothing } from './git-configuration'
import { pathReadings, realPathsOf } from './named-paths'

export type WideAction =
  | { kind: 'command'; toolName: string; text: string; folder: string }
  | { kind: 'edits'; files: string[] }
  | { kind: 'mcp_tool'; toolName: string }

type Fields = Readonly<Record<string, unknown>>

/** `shape`: the input shape that the tool's adapter declares. */
export function wideActionOf(
  { toolName, shape }: { toolName: string; shape?: InputShape | undefined },
  input: unknown,
  cwd: string,
  roots: readonly string[],
): WideAction | null {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null
  const fields = input as Fields
  if (shape?.kind === 'command' && shape.plainWith) {
    const text = plainCommand(fields, shape)
    return text === null || !isIn(cwd, roots) ? null : { kind: 'command', toolName, text, folder: cwd }
  }
  const names = editedNames(fields, shape)
  if (names) {
    const files = realFiles(names, cwd, roots)
    return files && { kind: 'edits', files }
  }
  return mcpTool(toolName) ? { kind: 'mcp_tool', toolName } : null
}

/**
 * True if every name in the command lies in the folder where it runs and is not hidden there, and git runs nothing
 * there that a copied configuration names. A command that follows the links in its folders gets files only.
 */
export function isCommandOf(
  { text, folder }: Extract<WideAction, { kind: 'command' }>,
  beginnings: readonly (readonly string[])[],
): boolean {
  const operands = operandsBehind(beginnings, text)
  if (operands === null || !operands.every((operand) => namesStayIn(operand, folder))) return false
  return !beginnings.some(([program]) => program === 'git') || runsNothing(folder)
}

const LONGEST_WORD = 1_024
const MOST_SIGNS = 16

function namesStayIn({ word, isFile }: Operand, folder: string): boolean {
  if (!isName(word)) return word === ''
  // A longer word may contain more names than this checks.
  if (word.length > LONGEST_WORD || (word.match(/[:,@+]/g)?.length ?? 0) > MOST_SIGNS) return false
  return namesWithin(word).every((name) =>
    realPathsOf(name, folder).every(
      (real) => (real === folder || isVisibleIn(real, folder)) && !(isFile && isFolder(real)),
    ),
  )
}

function isFolder(real: string): boolean {
  try {
    return lstatSync(real, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return true // nobody's to look at
  }
}

/** Other fields make it no plain command: it may leave the sandbox or get more rights. */
function plainCommand(fields: Fields, { command, wrapped, plainWith = [] }: InputShapeOf<'command'>): string | null {
  const text = fields[command]
  if (typeof text !== 'string' || !hasOnly(fields, [command, ...plainWith])) return null
  return wrapped ? insideShell(text) : text
}

/** Unwraps a command that a program passes to a login shell as one text. */
function insideShell(command: string): string | null {
  const found = /^\/(?:usr\/)?bin\/(?:ba|z)sh -lc (?:'([^']*)'|([A-Za-z0-9_.-]+))$/.exec(command)
  return found?.[1] ?? found?.[2] ?? null
}

/** The names of the files that a tool changes, or null if it does more than change files. */
function editedNames(fields: Fields, shape: InputShape | undefined): string[] | null {
  switch (shape?.kind) {
    case 'write':
    case 'edit':
    case 'edit_file':
      return namesIn([fields[shape.path]])
    case 'patches':
      return hasOnly(fields, [shape.changes]) ? changedNames(fields[shape.changes]) : null
    default:
      return null
  }
}

function changedNames(changes: unknown): string[] | null {
  if (!Array.isArray(changes)) return null
  const names = changes.map((change: unknown): string[] | null => {
    const { path: name, kind } = (change ?? {}) as {
      path?: unknown
      kind?: { type?: unknown; move_path?: unknown } | null
    }
    // A deletion is not an edit.
    if (kind?.type !== 'add' && kind?.type !== 'update') return null
    return namesIn(kind.move_path === undefined || kind.move_path === null ? [name] : [name, kind.move_path])
  })
  return names.every((one) => one !== null) ? names.flat() : null
}

const namesIn = (values: readonly unknown[]): string[] | null =>
  values.every((value) => typeof value === 'string' && isName(value) && !value.startsWith('~'))
    ? (values as string[])
    : null

const hasOnly = (fields: Fields, known: readonly string[]): boolean =>
  Object.entries(fields).every(([name, value]) => known.includes(name) || value === undefined)

/** The real path of each name, the same for every reader. Null if a name does not lead to one place inside the roots. */
function realFiles(names: readonly string[], cwd: string, roots: readonly string[]): string[] | null {
  const files = names.map((name) => {
    const [real, ...others] = [...new Set(pathReadings(name).flatMap((one) => realPathsOf(one, cwd)))]
    return real !== undefined && others.length === 0 && isIn(real, roots) && isOneFile(real) ? real : null
  })
  return files.length > 0 && files.every((file) => file !== null) ? [...new Set(files)] : null
}

const isIn = (real: string, roots: readonly string[]): boolean => roots.some((root) => isInside(real, root))

/** True for a file that does not exist yet or has only this name. Another name of it could lie anywhere. */
function isOneFile(real: string): boolean {
  try {
    const found = lstatSync(real, { throwIfNoEntry: false })
    return found === undefined || (found.isFile() && found.nlink === 1)
  } catch {
    return false
  }
}

/** Programs execute what lies in hidden files and folders (`.git/hooks`, `.envrc`), so no grant of a folder covers them. */
export function isVisibleIn(file: string, folder: string): boolean {
  if (!isInside(file, folder)) return false
  return !path
    .relative(folder, file)
    .split(path.sep)
    .some((step) => step.startsWith('.') || step === '')
}
