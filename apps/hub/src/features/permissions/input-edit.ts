/** How a person edits the input of a request before allowing it: the command, the content, or the whole input as JSON. Pure. */
import { type InputShape, isRecord, type PermissionAsk } from '@roundhouse/backend-types'

export interface InputEdit {
  /** The name of the edited part, for people. */
  label: string
  /** The requested text. */
  text: string
  apply(text: string): { input: unknown } | { problem: string }
}

/** The member that people edit, and its name. */
function editedMember(shape: InputShape | undefined): readonly [name: string, label: string] | undefined {
  switch (shape?.kind) {
    case 'command':
      return [shape.command, 'Command']
    case 'write':
      return [shape.text, 'Content']
    case 'edit':
      return shape.list === undefined ? [shape.after, 'New text'] : undefined
    default:
      return undefined
  }
}

/** Undefined if the program takes no edit, or the page does not have the whole input. */
export function inputEditOf(ask: PermissionAsk): InputEdit | undefined {
  if (!ask.canEdit || ask.inputCut || ask.answerFields || ask.form || ask.plan) return undefined
  const { input } = ask
  const [name, label] = editedMember(ask.shape) ?? []
  const text = name !== undefined && isRecord(input) ? input[name] : undefined
  if (name !== undefined && label !== undefined && typeof text === 'string') {
    return { label, text, apply: (edited) => ({ input: { ...(input as object), [name]: edited } }) }
  }
  return { label: 'Input', text: JSON.stringify(input, null, 2) ?? '', apply: parsed }
}

function parsed(text: string): { input: unknown } | { problem: string } {
  try {
    const input: unknown = JSON.parse(text)
    return isRecord(input) ? { input } : { problem: 'This is not a JSON object.' }
  } catch {
    return { problem: 'This is not valid JSON yet.' }
  }
}
