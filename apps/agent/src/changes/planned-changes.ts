/** What the editing tools of the programs would do to files, by the wire names of their inputs. Pure. */

export interface Replacement {
  before: string
  after: string
  everywhere: boolean
}

export type PlannedChange =
  /** The file is this text afterwards. */
  | { kind: 'write'; path: string; text: string }
  /** Parts of the file are replaced, one after the other. */
  | { kind: 'replace'; path: string; steps: Replacement[] }

type Fields = Readonly<Record<string, unknown>>

/** None where the tool changes no files, or its input is not what that tool takes. */
export function plannedChanges(toolName: string, input: unknown): PlannedChange[] {
  const plan = Object.hasOwn(editors, toolName) ? editors[toolName] : undefined
  return plan ? plan(asFields(input)) : []
}

const editors: Record<string, (fields: Fields) => PlannedChange[]> = {
  Write: ({ file_path: path, content: text }) => (isText(path) && isText(text) ? [{ kind: 'write', path, text }] : []),
  Edit: (fields) => replacing(fields.file_path, [fields]),
  MultiEdit: ({ file_path, edits }) => replacing(file_path, Array.isArray(edits) ? edits : []),
  fileChange: ({ changes }) => (Array.isArray(changes) ? changes.flatMap(added) : []),
}

function replacing(path: unknown, edits: readonly unknown[]): PlannedChange[] {
  const steps = edits.map(asFields).flatMap(({ old_string: before, new_string: after, replace_all }) => {
    return isText(before) && isText(after) ? [{ before, after, everywhere: replace_all === true }] : []
  })
  return isText(path) && steps.length > 0 && steps.length === edits.length ? [{ kind: 'replace', path, steps }] : []
}

/** Codex says what changes in a file that is there. Of one that it adds it has the text, and writes over what lies there. */
function added(change: unknown): PlannedChange[] {
  const { path, diff, kind } = asFields(change)
  return asFields(kind).type === 'add' && isText(path) && isText(diff) ? [{ kind: 'write', path, text: diff }] : []
}

const isText = (value: unknown): value is string => typeof value === 'string'

const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
