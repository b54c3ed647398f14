/**
 * Builds items from events in one pass. It pairs `tool_use` with `tool_result` and with its permission request by `callId`,
 * and nests sub-agents under the call that started them. It turns every crash, resume, gap and change into a visible line,
 * so that nothing ends silently. Pure: the same events give the same items on every screen (VIEW-6).
 */
import {
  type AskForm,
  type Author,
  type HubOnlyEvent,
  isCutValue,
  type SessionEvent,
  type SessionEventOf,
} from '@roundhouse/backend-types'
import type { SeenEvent } from '@roundhouse/hub-client'
import { backgroundEnd } from './background-end'
import type { Item, ItemOf, ToolState } from './items'
import { type Marked, markerOf } from './markers'
import { type Names, plainNames } from './names'
import { isCardOf } from './request-words'
import { allowedBy, resolutionWords } from './resolution-words'
import { timeWithout, type Wait } from './waits'

interface Build {
  names: Names
  root: Item[]
  tools: Map<string, ItemOf<'tool'>>
  /** Asks that are still open, by request id. */
  asks: Map<string, ItemOf<'ask'>>
  /** When each request was made, of which turn, with which form, and whether a plan is what it shows. */
  asked: Map<string, { at: number; turnId: string | undefined; form: AskForm | undefined; isPlan: boolean }>
  /** The row that says that the program began the latest turn by itself. */
  ownTurn: Item | null
  /** When a person was asked, by turn. */
  waits: Map<string, Wait[]>
  /** The call that started a sub-agent, by each of the sub-agent's calls. */
  parents: Map<string, string>
  /** The number of the row in which a call is shown, by callId. */
  rows: Map<string, number>
  places: Map<number, number>
}

export interface Transcript {
  items: Item[]
  /** Events that are shown inside the row of an earlier one: from their number to that row's. */
  places: ReadonlyMap<number, number>
}

export function buildTranscript(events: readonly SeenEvent[], names: Names = plainNames): Transcript {
  const build: Build = {
    names,
    root: [],
    tools: new Map(),
    asks: new Map(),
    asked: new Map(),
    ownTurn: null,
    waits: new Map(),
    parents: new Map(),
    rows: new Map(),
    places: new Map(),
  }
  for (const seen of events) {
    add(build, seen)
    notePlace(build, seen)
  }
  return { items: build.root, places: build.places }
}

/** The index of the row that shows event `seq`, or the last one before it. -1: the event is before all rows. */
export function rowIndexOf({ items, places }: Transcript, seq: number): number {
  const row = places.get(seq) ?? seq
  return items.findLastIndex((item) => item.seq <= row)
}

function notePlace({ rows, places }: Build, { seq, event }: SeenEvent): void {
  if (event === null) return
  const callId = 'callId' in event ? event.callId : 'ask' in event ? event.ask.callId : undefined
  const parent = 'parentCallId' in event ? event.parentCallId : undefined
  const row = (parent && rows.get(parent)) || (callId && rows.get(callId)) || seq
  const opens = event.kind === 'tool_use' || event.kind === 'tool_result'
  if (opens && !rows.has(event.callId)) rows.set(event.callId, row)
  if (row !== seq) places.set(seq, row)
}

function add(build: Build, { seq, at, kind, event, doneBy }: SeenEvent): void {
  const common = { key: `e-${seq}`, seq, at }
  if (event === null)
    build.root.push({ ...common, type: 'unsupported', kind, detail: 'This page does not know this kind of event.' })
  else if (event.kind === 'tombstone' || event.kind === 'opaque') build.root.push(hubOnly(common, event))
  else addEvent(build, common, event, doneBy)
}

type Common = { key: string; seq: number; at: number }

function addEvent(build: Build, common: Common, event: SessionEvent, doneBy: Author | undefined): void {
  switch (event.kind) {
    case 'user_message':
      build.root.push({
        ...common,
        type: 'user',
        text: event.text,
        author: doneBy?.name ?? null,
        steer: event.steer === true && !beginsTurn(build),
        ...(event.images ? { images: event.images } : {}),
      })
      return
    case 'assistant_text':
    case 'thinking': {
      const type = event.kind === 'thinking' ? 'thinking' : 'assistant'
      listFor(build, event.parentCallId).push({ ...common, type, text: event.text, partial: event.partial === true })
      return
    }
    case 'tool_use':
      openTool(build, common, event)
      return
    case 'tool_result':
      closeTool(build, common, event)
      return
    case 'plan':
      putPlan(listFor(build, event.parentCallId), { ...common, type: 'plan', items: event.items })
      return
    case 'permission_requested':
      openAsk(build, common, event)
      return
    case 'permission_resolved':
      closeAsk(build, common, event, doneBy)
      return
    case 'turn_completed':
      endTurn(build, common, event)
      return
    case 'system':
      endBackground(build, common, event)
      mark(build, common, event)
      return
    default:
      mark(build, common, event)
  }
}

function mark(build: Build, common: Common, event: Marked): void {
  // The card says it already.
  if (event.kind === 'session_request' && [...build.tools.values()].some(({ tool }) => isCardOf(tool, event))) return
  const marker = markerOf(event, build.names)
  if (!marker) return
  const item: Item = { ...common, type: 'marker', marker }
  build.root.push(item)
  if (event.kind === 'turn_started') build.ownTurn = item
}

/** A steer that came too late for its turn begins the next one (CMD-5.16): then the program did not begin it by itself. */
function beginsTurn({ root, ownTurn }: Build): boolean {
  if (ownTurn === null || root.at(-1) !== ownTurn) return false
  root.pop()
  return true
}

/** The end of the program and the end of its turn are shown as one. */
function endTurn(build: Build, common: Common, end: SessionEventOf<'turn_completed'>): void {
  const last = build.root.at(-1)
  const exit = end.reason === 'process_exited' && last?.type === 'marker' && last.marker.exit ? last.marker : null
  if (exit) build.root.pop()
  const waitedMs = waitedIn(build, end.turnId)
  build.root.push({ ...common, type: 'turn_end', end, waitedMs, ...(exit ? { exit } : {}) })
}

function listFor(build: Build, parentCallId: string | undefined): Item[] {
  return (parentCallId && build.tools.get(parentCallId)?.tool.children) || build.root
}

function openTool(build: Build, common: Common, event: SessionEventOf<'tool_use'>): void {
  const { callId, toolName, input, display, shape } = event
  const item: ItemOf<'tool'> = {
    ...common,
    type: 'tool',
    tool: { callId, toolName, input, display, shape, state: 'running', startedAt: common.at, waits: [], children: [] },
  }
  listFor(build, event.parentCallId).push(item)
  build.tools.set(callId, item)
  if (event.parentCallId) build.parents.set(callId, event.parentCallId)
}

/** A result whose call is on an older page gets a card of its own. */
function closeTool(build: Build, common: Common, event: SessionEventOf<'tool_result'>): void {
  if (!build.tools.has(event.callId)) {
    openTool(build, common, { kind: 'tool_use', callId: event.callId, toolName: 'tool', input: {} })
  }
  const item = build.tools.get(event.callId)
  if (!item) return
  item.tool.output = event.output
  item.tool.toModel = event.toModel
  // The background task may end before the call has its result.
  if (item.tool.beside?.end) return
  if (event.background) {
    item.tool.beside = {}
    item.tool.state = 'background'
    return
  }
  item.tool.endedAt = common.at
  item.tool.state = endOf(event)
}

const endOf = ({ interrupted, stopped, isError }: SessionEventOf<'tool_result'>) =>
  interrupted ? 'interrupted' : stopped ? 'stopped' : isError ? 'failed' : 'done'

/** The program's own report comes first. A stop by a person or the end of the program adds nothing to it. */
function endBackground(build: Build, common: Common, event: SessionEventOf<'system'>): void {
  const found = backgroundEnd(event)
  const tool = found && build.tools.get(found.callId)?.tool
  if (!tool || (tool.beside?.end && event.subtype === 'background_ended')) return
  tool.beside = { end: found.end }
  tool.state = found.state
  tool.endedAt = common.at
}

/** A plan is a state: only the newest one of a turn is shown. */
function putPlan(list: Item[], plan: ItemOf<'plan'>): void {
  const turn = list.findLastIndex((item) => item.type === 'turn_end' || item.type === 'user')
  const older = list.findIndex((item, index) => index > turn && item.type === 'plan')
  if (older >= 0) list.splice(older, 1)
  list.push(plan)
}

/** Shown on its tool card, or on a line of its own if there is none. */
function openAsk(build: Build, common: Common, event: SessionEventOf<'permission_requested'>): void {
  const { requestId, turnId, form, plan } = event.ask
  build.asked.set(requestId, { at: common.at, turnId, form, isPlan: plan !== undefined })
  const tool = build.tools.get(event.ask.callId)?.tool
  if (tool) {
    tool.permission = event.ask.form || event.ask.answerFields ? 'Waiting for your answer' : 'Waiting for your decision'
    tool.asking = true
    tool.found = event.ask.changes
    return
  }
  const item: ItemOf<'ask'> = { ...common, type: 'ask', ask: event.ask }
  build.root.push(item)
  build.asks.set(event.ask.requestId, item)
}

/** A resolved request disappears from its place; its text moves to its tool card, or stands alone if there is none. */
function closeAsk(
  build: Build,
  common: Common,
  event: SessionEventOf<'permission_resolved'>,
  doneBy: Author | undefined,
): void {
  const open = build.asks.get(event.requestId)
  if (open) build.root.splice(build.root.indexOf(open), 1)
  build.asks.delete(event.requestId)
  noteWait(build, event, common.at)
  const { text, tone } = resolutionWords(event, doneBy, build.names, build.asked.get(event.requestId)?.isPlan)
  const tool = build.tools.get(event.callId)?.tool
  if (tool) {
    tool.permission = text
    tool.asking = false
    tool.refused = tone === 'failed' || event.outcome === 'expired'
    Object.assign(tool, { grantId: undefined, ruleId: undefined }, allowedBy(event), ranOf(build, event))
    return
  }
  const { ran, answered } = ranOf(build, event)
  const more = ran === undefined ? { answered } : { detail: JSON.stringify(ran, null, 2) }
  build.root.push({ ...common, type: 'marker', marker: { tone, text, ...more, ...allowedBy(event) } })
}

/** The input that ran instead of the requested one. */
function ranOf({ asked }: Build, event: SessionEventOf<'permission_resolved'>): Pick<ToolState, 'ran' | 'answered'> {
  const { effectiveInput: input, requestId } = event
  if (input === undefined) return {}
  return event.answered && !isCutValue(input)
    ? { answered: { form: asked.get(requestId)?.form, input } }
    : { ran: input }
}

function noteWait(build: Build, { requestId, callId }: SessionEventOf<'permission_resolved'>, to: number): void {
  const asked = build.asked.get(requestId)
  if (!asked) return
  const wait = { from: asked.at, to }
  if (asked.turnId) build.waits.set(asked.turnId, [...(build.waits.get(asked.turnId) ?? []), wait])
  for (let id: string | undefined = callId; id; id = build.parents.get(id)) build.tools.get(id)?.tool.waits.push(wait)
}

function waitedIn({ waits }: Build, turnId: string): number {
  const all = waits.get(turnId) ?? []
  const [from, to] = [Math.min(...all.map((wait) => wait.from)), Math.max(...all.map((wait) => wait.to))]
  return all.length === 0 ? 0 : to - from - timeWithout(all, from, to)
}

function hubOnly(common: Common, event: HubOnlyEvent): Item {
  if (event.kind === 'opaque') {
    return {
      ...common,
      type: 'unsupported',
      kind: event.originalKind,
      detail: 'A newer agent wrote this; update the hub to see it.',
    }
  }
  return {
    ...common,
    type: 'unsupported',
    kind: 'tombstone',
    detail: `The hub could not read ${event.bytes} bytes (${event.code}).`,
  }
}
