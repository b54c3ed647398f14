/** What the program's own record shows and our log does not, and the other way round. */
import type { SessionEvent, SessionEventOf } from '@roundhouse/backend-types'
import { compareOutputs } from './compare-outputs'
import { imagesWithin } from './images'
import type { Seen } from './own-records'

export interface Found {
  /** Shown by the program, and told by our log in no form. */
  missing: string[]
  /** Told by our log in another order than by the program. */
  misplaced: string[]
  /** Results of calls of which our log lacks a line. */
  changed: string[]
  /** Where our log says that something may be missing: nothing here gives it a reason to. */
  untold: string[]
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

  const formOfImage = imageForms(events)
  const formOfList = listForms(own, events)
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
    const form = isSummary(seen)
      ? leftByCompaction
      : at.has(id)
        ? undefined
        : (formOf(seen, asked) ?? formOfImage(seen) ?? formOfList(seen))
    const found = form === undefined ? at.get(id)?.shift() : undefined
    if (form !== undefined) formed.set(form, (formed.get(form) ?? 0) + 1)
    else if (found === undefined) missing.push(lineOf(seen))
    // The result of a call stands here where the call was over, in the record of Codex where the model was told first.
    else if (once.has(id) && seen.who !== 'result' && seen.who !== 'image') {
      if (found < (latest.get(seen.file) ?? -1)) misplaced.push(lineOf(seen))
      latest.set(seen.file, found)
    }
  }
  const notes = events
    .filter((event) => event.kind === 'system')
    .filter(({ subtype }) => subtype === 'transcript_untold')
  const untold = notes.filter((note) => !tellsOfImages(note)).map(({ data }) => JSON.stringify(data))
  const { changed, formed: formedOutputs } = compareOutputs(own, events)
  const alone = [...at].flatMap(([id, left]) => left.map(() => id.slice(0, 160)))
  const list = (title: string, rows: readonly string[]) => [
    `${title}: ${rows.length}`,
    ...rows.map((row) => `  ${row}`),
  ]
  const text = [
    ...list('only in the record of the program', missing),
    ...list('in another order', misplaced),
    ...list('results of which a line is not here', changed),
    ...list('said to be untold', untold),
    ...list(
      'here in another form',
      [...formed, ...formedOutputs].map(([form, count]) => `${count} x ${form}`),
    ),
    ...list('only in our log', alone),
  ].join('\n')
  return { missing, misplaced, changed, untold, text }
}

function formOf({ who, text }: Seen, asked: ReadonlySet<string>): string | undefined {
  if (who === 'person' && asked.has(text)) return 'what a helper was asked: the input of the call that began it'
  return otherForms.find(([, mark]) => mark.test(text))?.[0]
}

/**
 * Images that the program has in its record and that our log cannot have. A GIF is given to Codex as it is, by a person or by
 * a tool, and Codex keeps a PNG of it: one for each. What its `view_image` reads is told to no client, and its own interface shows the path alone.
 */
function imageForms(events: readonly SessionEvent[]): (seen: Seen) => string | undefined {
  const notedTurns = new Set(
    events.flatMap((event) => (event.kind === 'system' && tellsOfImages(event) ? event.turnId : [])),
  )
  const prompts = events.filter((event) => event.kind === 'user_message')
  const noted = new Set(prompts.filter(({ turnId }) => notedTurns.has(turnId)).map(({ text }) => String(text)))
  const gifs = new Map<string, number>()
  const areGifs = (types: readonly string[]) => types.filter((type) => type === 'image/gif').length
  for (const { text, images = [] } of prompts) gifs.set(String(text), areGifs(images.map(({ mediaType }) => mediaType)))
  for (const event of events)
    if (event.kind === 'tool_result')
      gifs.set(event.callId, areGifs(imagesWithin(event.output).map(({ type }) => type)))
  const views = new Set(
    events.flatMap((event) => (event.kind === 'tool_use' && event.toolName === 'imageView' ? [event.callId] : [])),
  )
  return ({ who, from = '' }) => {
    if (who !== 'image') return undefined
    if (noted.has(from || '[Image]')) return 'an image of a prompt made elsewhere: a note that it came with one'
    if (views.has(from)) return 'an image that Codex read from a file: its path'
    const left = gifs.get(from) ?? 0
    gifs.set(from, left - 1)
    return left > 0 ? 'a GIF, of which Codex keeps a PNG: the GIF' : undefined
  }
}

/** The to-do list of Codex is a call in its record, and a list with the same steps in our log. */
function listForms(own: readonly Seen[], events: readonly SessionEvent[]): (seen: Seen) => string | undefined {
  const lists = new Set(
    events.flatMap((event) => (event.kind === 'plan' ? [JSON.stringify(event.items.map(({ text }) => text))] : [])),
  )
  const calls = new Set(own.filter(({ who, text }) => who === 'call' && lists.has(stepsOf(text))).map(({ key }) => key))
  return ({ who, key }) =>
    (who === 'call' || who === 'result') && calls.has(key) ? 'a to-do list of Codex: the list' : undefined
}

function stepsOf(input: string): string {
  try {
    return JSON.stringify((JSON.parse(input) as { plan: { step: string }[] }).plan.map(({ step }) => step))
  } catch {
    return ''
  }
}

const tellsOfImages = (event: SessionEventOf<'system'>): boolean =>
  event.subtype === 'transcript_untold' && /image.* came with this prompt/i.test(JSON.stringify(event.data))

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
      return [
        idOf({ who: 'person', text: String(event.text) }),
        ...(event.images ?? []).map(({ sha256 }) => idOf({ who: 'image', text: sha256 })),
      ]
    case 'assistant_text':
      return [idOf({ who: 'model', text: String(event.text) })]
    case 'thinking':
      return [idOf({ who: 'thought', text: String(event.text) })]
    case 'tool_use':
      return [idOf({ who: 'call', text: '', key: event.callId })]
    case 'tool_result':
      return [
        idOf({ who: 'result', text: '', key: event.callId }),
        ...imagesWithin(event.output).map(({ digest }) => idOf({ who: 'image', text: digest })),
      ]
    default:
      return []
  }
}
