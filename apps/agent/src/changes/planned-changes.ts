/** What a tool would do to files, by the shape of its input. Pure. */
import type { InputShape, InputShapeOf } from '@roundhouse/backend-types'

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
export function plannedChanges(shape: InputShape | undefined, input: unknown): PlannedChange[] {
  const fields = asFields(input)
  switch (shape?.kind) {
    case 'write': {
      const [path, text] = [fields[shape.path], fields[shape.text]]
      return isText(path) && isText(text) ? [{ kind: 'write', path, text }] : []
    }
    case 'edit':
      return replacing(fields, shape)
    case 'patches': {
      const changes = fields[shape.changes]
      return Array.isArray(changes) ? changes.flatMap(added) : []
    }
    default:
      return []
  }
}

function replacing(fields: Fields, shape: InputShapeOf<'edit'>): PlannedChange[] {
  const path = fields[shape.path]
  const edits = editsIn(fields, shape)
  const steps = edits.map(asFields).flatMap((edit) => {
    const [before, after] = [edit[shape.before], edit[shape.after]]
    const everywhere = shape.everywhere !== undefined && edit[shape.everywhere] === true
    return isText(before) && isText(after) ? [{ before, after, everywhere }] : []
  })
  return isText(path) && steps.length > 0 && steps.length === edits.length ? [{ kind: 'replace', path, steps }] : []
}

function editsIn(fields: Fields, { list }: InputShapeOf<'edit'>): readonly unknown[] {
  if (list === undefined) return [fields]
  const edits = fields[list]
  return Array.isArray(edits) ? edits : []
}

/** A patch says what changes in a file that is there. Of one that is added it has the text, which is written over what lies there. */
function added(change: unknown): PlannedChange[] {
  const { path, diff, kind } = asFields(change)
  return asFields(kind).type === 'add' && isText(path) && isText(diff) ? [{ kind: 'write', path, text: diff }] : []
}

const isText = (value: unknown): value is string => typeof value === 'string'

const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
