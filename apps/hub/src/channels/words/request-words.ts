/**
 * A permission request as a chat shows it (CHAN-6). It has buttons only where all of the action stands in the message as it is:
 * a chat cannot mark what hides in a text, scroll to the rest, or show a change beside the file. Everything else leads to the
 * page. Pure.
 */
import type { PermissionAsk, RequestView } from '@roundhouse/backend-types'
import type { ChatMessage } from '../../core'
import { cutText, oneLine, plainText } from './split-text'

export interface RequestShown {
  /** Of the card, for its buttons. Null: this chat decides nothing. */
  ref: string | null
  /** Of the session on the page. */
  address: string
  messageLength: number
}

const pressOf = (ref: string, decision: 'allow' | 'deny'): string => `${decision === 'allow' ? 'a' : 'd'}:${ref}`

export function requestMessage(request: RequestView, shown: RequestShown): ChatMessage {
  const { ask } = request
  const end = endOf(request)
  const action = wholeAction(ask, shown.messageLength - headOf(ask).length - 200)
  if (end !== null) return { text: `${headOf(ask)}\n\n${action ?? shortAction(ask)}\n\n${end}` }
  if (action === null || shown.ref === null) {
    const why = action === null ? 'This can only be decided on the page:' : 'Decide on the page:'
    return { text: `${headOf(ask)}\n\n${shortAction(ask)}\n\n${why}\n${shown.address}` }
  }
  const buttons = [
    { label: 'Allow', data: pressOf(shown.ref, 'allow') },
    { label: 'Deny', data: pressOf(shown.ref, 'deny') },
  ]
  return { text: `${headOf(ask)}\n\n${action}`, buttons: [buttons] }
}

const headOf = (ask: PermissionAsk): string => `Permission to use ${oneLine(ask.toolName, 100)}:`

/** All of it, member by member, as JSON: no text can pass for another member. Null where the chat cannot show the whole. */
function wholeAction(ask: PermissionAsk, most: number): string | null {
  const isWhole = !ask.inputCut && ask.redactedSpans === 0 && ask.filesPinned
  const isPlain = !ask.form && !ask.plan && !ask.answerFields && !ask.canSetMode && !ask.notes?.length && !isChange(ask)
  if (!isWhole || !isPlain || typeof ask.input !== 'object' || ask.input === null || Array.isArray(ask.input))
    return null
  const lines = Object.entries(ask.input).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  const text = [...lines, `in ${JSON.stringify(ask.cwd)}`].join('\n')
  return isVisible(text) && isVisible(ask.toolName) && text.length <= most ? text : null
}

/** Printable ASCII and line feeds: no look-alike, no hidden character, nothing that turns text around. */
const isVisible = (text: string): boolean => /^[\n -~]*$/.test(text)

const changing: ReadonlySet<string> = new Set(['write', 'edit', 'edit_file', 'patches', 'plan', 'questions'])

/** What changes files is decided beside the files. */
const isChange = ({ changes, shape }: PermissionAsk): boolean =>
  (changes?.length ?? 0) > 0 || (shape !== undefined && changing.has(shape.kind))

function shortAction({ display, plan, form, toolName }: PermissionAsk): string {
  if (plan) return 'A plan waits for approval.'
  if (form) return oneLine(form.message ?? 'It asks you a question.', 500)
  const { verb = toolName, object, command, paths } = display ?? {}
  const what = command ?? object ?? paths?.join(', ') ?? ''
  return cutText(plainText(`${verb} ${what}`).trim(), 700)
}

/** What came of it, by whom. Null: it waits. */
export function endOf({ decision, outcome }: RequestView): string | null {
  if (decision) {
    const deed = decision.answer === 'deny' || decision.answer === 'abort' ? 'Denied' : 'Allowed'
    const from = decision.device ? ` (${oneLine(decision.device, 40)})` : ''
    const came = cameOf[outcome]
    return `${deed} by ${oneLine(decision.userName, 80)}${from}.${came ? ` ${came}` : ''}`
  }
  if (outcome === 'open') return null
  return cameOf[outcome] ?? 'It was decided by a rule.'
}

const cameOf: Readonly<Partial<Record<RequestView['outcome'], string>>> = {
  refused: 'The machine refused it.',
  expired: 'It expired.',
  withdrawn: 'The program took it back.',
  orphaned: 'The program that asked is gone.',
  superseded: 'Another request took its place.',
  outcome_unknown: 'It is not known whether it ran.',
}
