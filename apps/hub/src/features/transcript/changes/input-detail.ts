/**
 * Draws the input of a call by its shape: as a command, as changes of files, as a text. The drawing always shows the
 * input itself. What the shape does not draw, or describes wrongly, is left for `undrawnInput`. An input without a
 * shape is indented JSON. Pure.
 */
import { type CutValue, type InputShape, type InputShapeOf, unwrapShell } from '@roundhouse/backend-types'
import { cutOf } from './tool-words'

export type ToolDetail =
  | { kind: 'command'; text: string }
  | { kind: 'changes'; changes: DrawnChange[] }
  | { kind: 'json'; text: string }
  /** Markdown. */
  | { kind: 'plan'; text: string }
  /** Every member of the input. */
  | { kind: 'members'; members: Array<[name: string, value: unknown]> }
  | { kind: 'cut'; value: CutValue }
  | { kind: 'none' }

/** The requested change of one file. `add` and `delete` have all of its text. */
export type DrawnChange =
  | { kind: 'write' | 'add' | 'delete'; path: string; text: string }
  | { kind: 'edit'; path: string; before: string; after: string; everywhere: boolean }
  | { kind: 'patch'; path: string; diff: string }

type Fields = Readonly<Record<string, unknown>>

/** `cut`: for a permission request, `cutOfAsk`. */
export function inputDetail(
  shape: InputShape | undefined,
  input: unknown,
  cut: CutValue | null = cutOf(input),
): ToolDetail {
  if (cut) return { kind: 'cut', value: cut }
  const fields = fieldsOf(input)
  switch (shape?.kind) {
    case 'command':
      return { kind: 'command', text: unwrapShell(textIn(fields, shape.command)) }
    case 'task':
      return { kind: 'command', text: textIn(fields, shape.text) }
    case 'write': {
      const change = { kind: 'write', path: textIn(fields, shape.path), text: textIn(fields, shape.text) } as const
      return { kind: 'changes', changes: [change] }
    }
    case 'edit':
      return shape.list === undefined ? { kind: 'changes', changes: [editIn(fields, shape)] } : jsonOf(input)
    case 'patches': {
      const changes = fields[shape.changes]
      return { kind: 'changes', changes: Array.isArray(changes) ? changes.map(patchOf) : [] }
    }
    case 'plan': {
      const text = textIn(fields, shape.text)
      return text === '' ? { kind: 'none' } : { kind: 'plan', text }
    }
    case 'questions':
      return { kind: 'members', members: questionsIn(fields, shape) }
    case 'members':
      return Object.keys(fields).length > 0 ? { kind: 'members', members: Object.entries(fields) } : jsonOf(input)
    case 'edit_file':
    case undefined:
      return jsonOf(input)
  }
}

/** The members that the detail leaves out: a prompt shows the complete action (PERM-7). */
export function undrawnInput(
  shape: InputShape | undefined,
  input: unknown,
  cut: CutValue | null = cutOf(input),
): Array<[name: string, value: unknown]> {
  const names = drawnMembers(shape)
  if (names === 'all' || typeof input !== 'object' || input === null || cut) return []
  const isDrawn = (name: string, value: unknown) => names.includes(name) && typeof value === 'string'
  return Object.entries(input).filter(([name, value]) => !isDrawn(name, value))
}

/** The members that a detail shows in full. */
function drawnMembers(shape: InputShape | undefined): readonly string[] | 'all' {
  switch (shape?.kind) {
    case 'command':
      return [shape.command]
    case 'task':
    case 'plan':
      return [shape.text]
    case 'write':
      return [shape.path, shape.text]
    case 'edit':
      return shape.list === undefined ? [shape.path, shape.before, shape.after] : 'all'
    case 'patches':
    case 'questions':
      return []
    case 'members':
    case 'edit_file':
    case undefined:
      return 'all'
  }
}

function editIn(fields: Fields, { path, before, after, everywhere }: InputShapeOf<'edit'>): DrawnChange {
  return {
    kind: 'edit',
    path: textIn(fields, path),
    before: textIn(fields, before),
    after: textIn(fields, after),
    everywhere: everywhere !== undefined && fields[everywhere] === true,
  }
}

/** A new or deleted file has its text; any other file has a diff. */
function patchOf(change: unknown): DrawnChange {
  const fields = fieldsOf(change)
  const [path, diff] = [textIn(fields, 'path'), textIn(fields, 'diff')]
  const kind = textIn(fieldsOf(fields.kind), 'type')
  return kind === 'add' || kind === 'delete' ? { kind, path, text: diff } : { kind: 'patch', path, diff }
}

/** Each question with its options, or with its answer once there is one. */
function questionsIn(fields: Fields, shape: InputShapeOf<'questions'>): Array<[string, unknown]> {
  const asked = fields[shape.questions]
  const answers = fieldsOf(fields[shape.answers])
  return (Array.isArray(asked) ? asked : []).map(fieldsOf).map((one) => {
    const question = textIn(one, 'question')
    const options = (Array.isArray(one.options) ? one.options : []).map((option) => textIn(fieldsOf(option), 'label'))
    const answer = answers[question] ?? answers[textIn(one, 'id')]
    return [question, answer === undefined ? options.join(' / ') : Array.isArray(answer) ? answer.join(', ') : answer]
  })
}

function jsonOf(input: unknown): ToolDetail {
  const empty = typeof input === 'object' && input !== null && Object.keys(input).length === 0
  return input === undefined || empty ? { kind: 'none' } : { kind: 'json', text: JSON.stringify(input, null, 2) }
}

const textIn = (fields: Fields, name: string): string => (typeof fields[name] === 'string' ? fields[name] : '')

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
