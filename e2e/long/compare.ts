/** What the program's own record shows and our log does not, and the other way round. */
import type { SessionEvent } from '@roundhouse/backend-types'
import type { Seen } from './own-records'

export interface Found {
  /** Shown by the program, and told by our log in no form. */
  missing: string[]
  /** Told by our log in another order than by the program. */
  misplaced: string[]
  /** Of a person's reading: what each side has alone, and what stands here in another form. */
  text: string
}

const leftByCompaction = 'the summary that a compaction leaves to the model: the event that tells of it'

/** What the programs write for their models or in a form of their own, and how our log tells it. */
const otherForms: ReadonlyArray<readonly [form: string, mark: RegExp]> = [
  ['what the program tells its model about the place', /^<environment_context>/],
  ['a helper or command that ended: the state of its task', /^<(task-notification|subagent_notification)>/],
  ['a turn that was cut short: the end of the turn', /^<turn_aborted>|^No response requested\.$/],
  ['a command of the program: the words that the person typed', /^<command-name>/],
  ['its output: the event that tells of it', /^<local-command-(stdout|caveat)>/],
  [leftByCompaction, /^This session is being continued/],
  ['the reason of a refusal: the decision', /^The person refused this call/],
]

export function compare(own: readonly Seen[], events: readonly SessionEvent[]): Found {
  const ours = events.flatMap(oursOf)
  const at = new Map<string, number[]>()
  for (const [index, id] of ours.entries()) at.set(id, [...(at.get(id) ?? []), index])
  const asked = new Set(events.flatMap((event) => (event.kind === 'tool_use' ? stringsIn(event.input) : [])))

  const missing: string[] = []
  const misplaced: string[] = []
  const formed = new Map<string, number>()
  const latest = new Map<string, number>()
  const once = new Set([...at].flatMap(([id, places]) => (places.length === 1 ? [id] : [])))
  const summaries = own.flatMap(({ who, text }) => (who === 'summary' ? [text] : []))
  const isSummary = ({ who, text }: Seen): boolean => {
    const place = who === 'model' ? summaries.findIndex((summary) => summary.endsWith(text)) : -1
    if (place >= 0) summaries.splice(place, 1)
    return place >= 0
  }
  for (const seen of own.filter(({ who }) => who !== 'summary')) {
    const id = idOf(seen)
    const form = isSummary(seen) ? leftByCompaction : at.has(id) ? undefined : formOf(seen, asked)
    const found = form === undefined ? at.get(id)?.shift() : undefined
    if (form !== undefined) formed.set(form, (formed.get(form) ?? 0) + 1)
    else if (found === undefined) missing.push(lineOf(seen))
    // The result of a call stands here where the call was over, in the record of Codex where the model was told first.
    else if (once.has(id) && seen.who !== 'result') {
      if (found < (latest.get(seen.file) ?? -1)) misplaced.push(lineOf(seen))
      latest.set(seen.file, found)
    }
  }
  const alone = [...at].flatMap(([id, left]) => left.map(() => id.slice(0, 160)))
  const list = (title: string, rows: readonly string[]) => [
    `${title}: ${rows.length}`,
    ...rows.map((row) => `  ${row}`),
  ]
  const text = [
    ...list('only in the record of the program', missing),
    ...list('in another order', misplaced),
    ...list(
      'here in another form',
      [...formed].map(([form, count]) => `${count} x ${form}`),
    ),
    ...list('only in our log', alone),
  ].join('\n')
  return { missing, misplaced, text }
}

function formOf({ who, text }: Seen, asked: ReadonlySet<string>): string | undefined {
  if (who === 'person' && asked.has(text)) return 'what a helper was asked: the input of the call that began it'
  return otherForms.find(([, mark]) => mark.test(text))?.[0]
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

const lineOf = ({ who, text, file, line }: Seen) => `${file}:${line} ${who}: ${JSON.stringify(text.slice(0, 160))}`

/** A call and its result are known by the call, everything else by its words. */
const idOf = ({ who, text, key }: Pick<Seen, 'who' | 'text' | 'key'>): string => `${who} ${key ?? text.trim()}`

function oursOf(event: SessionEvent): string[] {
  switch (event.kind) {
    case 'user_message':
      return [idOf({ who: 'person', text: String(event.text) })]
    case 'assistant_text':
      return [idOf({ who: 'model', text: String(event.text) })]
    case 'thinking':
      return [idOf({ who: 'thought', text: String(event.text) })]
    case 'tool_use':
      return [idOf({ who: 'call', text: '', key: event.callId })]
    case 'tool_result':
      return [idOf({ who: 'result', text: '', key: event.callId })]
    default:
      return []
  }
}
