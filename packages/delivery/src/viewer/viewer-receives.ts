/** What comes to a page: events, heads, missing ranges, views, and live text. */
import { lastSeqOf, type StoredEvent } from '@roundhouse/backend-types'
import { applyText, closeBlocks, type LiveBlocks, withoutAnswer } from '../events/live-blocks'
import { andThen, type EventOf, fetchSnapshot, fill, RETRY_MS, stay } from './viewer-asks'
import type { Shown, ViewerEffect, ViewerPage, ViewerRules, ViewerStep } from './viewer-state'

export function receive(sync: Shown, { events }: EventOf<'eventsCame'>, rules: ViewerRules): ViewerStep {
  const tail = events.at(-1)
  const received = rules.receiveEvents(sync.page.cursor, events)
  const applied = apply(sync, received, tail ? lastSeqOf(tail) : 0, rules)
  return received.missing ? andThen(applied, fill) : applied
}

export function seeHead(sync: Shown, { head }: { head: number }, rules: ViewerRules): ViewerStep {
  const seen: Shown = { ...sync, page: { ...sync.page, head: Math.max(sync.page.head, head) } }
  return rules.receiveHead(seen.page.cursor, head) ? fill(seen) : stay(seen)
}

export function fillWith(sync: Shown, { ask, page }: EventOf<'rangeFetched'>, rules: ViewerRules): ViewerStep {
  if (ask !== sync.filling) return stay(sync)
  if (page.hubEpoch !== sync.page.cursor.hubEpoch) return fetchSnapshot(sync)
  const filled: Shown = { ...sync, filling: null }
  // The hub has nothing more now. Its next word on the head asks again.
  if (page.events.length === 0) return stay(filled)
  const received = rules.receiveEvents(filled.page.cursor, page.events)
  return andThen(apply(filled, received, page.head, rules), fill)
}

type Received = ReturnType<ViewerRules['receiveEvents']>

function apply(sync: Shown, received: Received, head: number, rules: ViewerRules): ViewerStep {
  const { page } = sync
  const blocks = closedBy(page.blocks, received.apply, rules)
  const next: ViewerPage = { ...page, cursor: received.cursor, blocks, head: Math.max(page.head, head) }
  const shown: Shown = { ...sync, page: next }
  if (received.apply.length === 0) return stay(shown)
  const effects: ViewerEffect[] = [{ do: 'deliver', events: received.apply }]
  if (blocks !== page.blocks) effects.push({ do: 'showBlocks', blocks })
  effects.push({ do: 'showProgress', at: next.cursor.last, head: next.head })
  return { sync: shown, effects }
}

function closedBy(blocks: LiveBlocks, events: readonly StoredEvent[], { eventOf }: ViewerRules): LiveBlocks {
  let left = blocks
  for (const stored of events) {
    const event = eventOf(stored)
    if (event) left = closeBlocks(left, event, stored.seq)
  }
  return left
}

export function showView(sync: Shown, { view }: EventOf<'viewCame'>): ViewerStep {
  if (view.rev < sync.page.viewRev) return stay(sync)
  return { sync: { ...sync, page: { ...sync.page, viewRev: view.rev } }, effects: [{ do: 'showView', view }] }
}

export function receiveFrames(sync: Shown, { frames }: EventOf<'framesCame'>, rules: ViewerRules): ViewerStep {
  const { page } = sync
  const asks: ViewerEffect[] = []
  let { blocks } = page
  for (const frame of frames) {
    const applied = rules.applyFrame(blocks, frame)
    blocks = applied.blocks
    if (applied.ask) asks.push({ do: 'askBlock', opened: page.opened, ...applied.ask })
  }
  return { sync: { ...sync, page: { ...page, blocks } }, effects: [...asks, { do: 'showBlocks', blocks }] }
}

export function receiveBlock(sync: Shown, { opened, block }: EventOf<'blockCame'>): ViewerStep {
  if (opened !== sync.page.opened) return stay(sync)
  const blocks = applyText(sync.page.blocks, block)
  return { sync: { ...sync, page: { ...sync.page, blocks } }, effects: [{ do: 'showBlocks', blocks }] }
}

/** A later frame asks again. The finished block follows through the log, so a missing piece is no loss. */
export function blockFailed(sync: Shown, { opened, blockId }: EventOf<'blockFailed'>): ViewerStep {
  return { sync, effects: [{ do: 'wait', ms: RETRY_MS, next: { kind: 'blockDue', opened, blockId } }] }
}

export function blockDue(sync: Shown, { opened, blockId }: EventOf<'blockDue'>): ViewerStep {
  if (opened !== sync.page.opened) return stay(sync)
  return stay({ ...sync, page: { ...sync.page, blocks: withoutAnswer(sync.page.blocks, blockId) } })
}
