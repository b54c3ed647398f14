/**
 * The files that a command only writes to: the words after `>` and `>>`. Their earlier content does not change what the
 * command does, so it is no reason to ask again. This applies only to plain commands (`plain-command.ts`). For any other
 * command, every file that it names stays pinned, whatever the sign before the name.
 */
import { cutPlain } from './plain-command'

const COMMAND_FIELDS = ['command', 'cmd', 'script', 'argv', 'args'] as const

const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/
const RUNS_TEXT = /^-l?c$/
/** `bash -lc '…'`, as some backends write every command; the text in single quotes is the command as it stands. */
const IN_A_SHELL = /^((?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh -l?c ')([^']*)(')$/

export interface WithoutTargets {
  /** The same input without the targets. */
  input: unknown
  /** What it writes to. It may print these files too, and does nothing else with them. */
  targets: string[]
}

export function withoutTargets(input: unknown): WithoutTargets {
  const nothing = { input, targets: [] }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return nothing
  const fields = { ...(input as Record<string, unknown>) }
  const named = COMMAND_FIELDS.filter((field) => fields[field] !== undefined)
  const [field] = named
  if (field === undefined || named.length > 1) return nothing
  const { text, set } = commandText(fields[field])
  const cut = text === null ? null : cutPlain(text)
  return cut ? { input: { ...fields, [field]: set(cut.left) }, targets: cut.targets } : nothing
}

interface CommandText {
  text: string | null
  /** The value of the field with another command in it. */
  set(text: string): unknown
}

function commandText(value: unknown): CommandText {
  if (typeof value === 'string') {
    const [, before = '', code = '', after = ''] = IN_A_SHELL.exec(value) ?? []
    return before ? { text: code, set: (text) => before + text + after } : { text: value, set: (text) => text }
  }
  if (Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === 'string')) {
    const [shell = '', flag = '', code = ''] = value
    if (SHELL.test(shell) && RUNS_TEXT.test(flag)) return { text: code, set: (text) => [shell, flag, text] }
  }
  return { text: null, set: (text) => text }
}
