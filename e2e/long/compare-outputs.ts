/** What the results of calls say: every line that the program wrote down of one stands in ours. */
import type { SessionEvent } from '@roundhouse/backend-types'
import type { Seen } from './own-records'

/** What the programs add for their models to what a call gave back. */
const addedForModel = [
  /^(Exit code|Wall time|Output|Total output lines|Chunk ID|Process exited with code|Original token count|Script completed)\b/,
  /^<\/?system-reminder>/,
]

/** Results that the programs put into words for their models, as a whole, and how our log tells them. */
const otherForms: ReadonlyArray<readonly [form: string, mark: RegExp]> = [
  ['a helper that began: its call, and the state of its task', /^Async agent launched successfully/],
  ['a helper that began: its call, and the state of its task', /^\{"agent_id":/],
  ['a command that runs on: the state of its task', /^Command running in background with ID/],
  ['a command that runs on: the state of its task', /Process running with session ID/],
  ['a call that a person cut short: it was interrupted', /^aborted by user/m],
  ['a call that a person refused: the decision', /Rejected\(\\*"rejected by user/],
]

export interface ComparedOutputs {
  /** One row for each result of which a line is not in our log. */
  changed: string[]
  /** How many are told in another form. */
  formed: Map<string, number>
}

export function compareOutputs(own: readonly Seen[], events: readonly SessionEvent[]): ComparedOutputs {
  const ours = oursByCall(events)
  const formed = new Map<string, number>()
  const changed = own.flatMap((seen) => {
    const text = seen.who === 'result' && seen.key !== undefined ? ours.get(seen.key) : undefined
    if (text === undefined) return []
    const lost = linesOf(seen.text).filter((line) => !text.includes(line))
    const [first] = lost
    if (first === undefined) return []
    const form = otherForms.find(([, mark]) => mark.test(seen.text))?.[0]
    if (form === undefined)
      return [`${seen.file}:${seen.line} ${lost.length} lines, first ${JSON.stringify(first.slice(0, 160))}`]
    formed.set(form, (formed.get(form) ?? 0) + 1)
    return []
  })
  return { changed, formed }
}

/** What we have of each call: its results, and what a person answered to it. */
function oursByCall(events: readonly SessionEvent[]): Map<string, string> {
  const ours = new Map<string, string>()
  const asked = new Map<string, string>()
  const add = (callId: string, value: unknown) =>
    ours.set(callId, `${ours.get(callId) ?? ''}\n${stringsIn(value).join('\n')}`)
  for (const event of events) {
    if (event.kind === 'tool_result') add(event.callId, event.output)
    if (event.kind === 'permission_requested') asked.set(event.ask.requestId, event.ask.callId)
    if (event.kind === 'permission_resolved') add(asked.get(event.requestId) ?? '', event)
  }
  return ours
}

function linesOf(text: string): string[] {
  return partsOf(parsed(text))
    .flatMap((part) => part.replaceAll(/\[Image: source: [^\]]*\]/g, '').split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !addedForModel.some((mark) => mark.test(line)))
}

/** Of a list of content parts their texts: what kind they are of is no word of the result, and images are compared apart. */
function partsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return stringsIn(value)
  return value.flatMap((part) => {
    const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown }
    if (typeof type !== 'string') return stringsIn(part)
    return typeof text === 'string' ? [text] : []
  })
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
