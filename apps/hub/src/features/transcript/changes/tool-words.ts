/**
 * Describes a tool call in one line: a verb and its object. The adapter of its program provides both. A call without
 * them (for example, of an earlier agent) uses the name of its tool and the first text of its input. Nothing is decided
 * by these words. Pure.
 */
import { type CutValue, isCutValue, type PermissionAsk, type ToolDisplay, toolLabel } from '@roundhouse/backend-types'

export interface ToolWords {
  verb: string
  object: string
  /** The object, if it consists of files. */
  paths?: readonly string[]
  /** What the program wants, after "asks to". */
  wish: string
}

interface CalledTool {
  toolName: string
  input: unknown
  display?: ToolDisplay | undefined
}

export const cutOf = (input: unknown): CutValue | null => (isCutValue(input) ? input : null)

/**
 * The part of a request that the host cut. An input that only looks cut is what the program requested, and is shown
 * unchanged.
 */
export function cutOfAsk(ask: Pick<PermissionAsk, 'input' | 'inputCut'>): CutValue | null {
  return ask.inputCut ? cutOf(ask.input) : null
}

/** `cut`: for a permission request, `cutOfAsk`. Elsewhere nothing is decided by the look of an input. */
export function toolWords(tool: CalledTool, cut: CutValue | null = cutOf(tool.input)): ToolWords {
  const label = toolLabel(tool.toolName)
  const { display } = tool
  if (!display) return { verb: label, object: cut ? '' : firstLine(firstString(tool.input)), wish: `use ${label}` }
  const { verb, wish = `use ${label}`, object = '', paths, command } = display
  if (command !== undefined) return { verb, wish, object: firstLine(command) }
  if (!paths) return { verb, wish, object: firstLine(object) }
  const all = object === '' ? paths : [...paths, object]
  return { verb, wish, object: all.join(', '), paths: all }
}

export const wordsOfAsk = (ask: PermissionAsk): ToolWords => toolWords(ask, cutOfAsk(ask))

/** The object's name inside the session's folder. Decisions show the full one. */
export function shortObject({ object, paths }: ToolWords, folders: readonly string[]): string {
  return paths ? paths.map((path) => pathWithin(path, folders)).join(', ') : object
}

function pathWithin(path: string, folders: readonly string[]): string {
  const folder = folders.find((one) => path.startsWith(`${one.replace(/\/$/, '')}/`))
  return folder === undefined ? path : path.slice(folder.replace(/\/$/, '').length + 1) || path
}

function firstString(input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return ''
  for (const value of Object.values(input)) if (typeof value === 'string') return value
  return ''
}

const firstLine = (value: string) => value.split('\n', 1)[0]?.slice(0, 200) ?? ''
