/**
 * How a viewer stays with one session (VIEW-1 to VIEW-6), as a table of phase and event: snapshot first, then the socket
 * from where the snapshot ended, every hole filled over HTTP. Whatever the network does, `deliver` gives each event once, in
 * order, without holes; `reset` starts over from a snapshot (too far behind, or the hub was restored).
 *
 *   opening ─ snapshot ─► away ─ connected ─► joining ─ answered ─► watching
 *                          ▲                     │  ▲                 │
 *                          └──── disconnected ───┴──│─────────────────┘
 *                                                   │    too far, or another epoch ─► reopening ─ snapshot ─► away, joining
 *   any question refused ─► refused; where the session is not there: lost (opening, if it was never shown), and looked for ever
 *   more rarely
 *
 * No I/O, no clock: effects say what to do, and what comes of it returns as an event.
 */
import { applyFrame } from '../events/live-blocks'
import { receiveEvents, receiveHead } from './receive-events'
import { type EventOf, failed, fetchSnapshot, fillAgain, stay, watch } from './viewer-asks'
import { join, open } from './viewer-page'
import {
  blockDue,
  blockFailed,
  fillWith,
  receive,
  receiveBlock,
  receiveFrames,
  seeHead,
  showView,
} from './viewer-receives'
import type { Shown, ViewerEvent, ViewerPhase, ViewerRules, ViewerStep, ViewerSync } from './viewer-state'

export const viewerRules: Omit<ViewerRules, 'eventOf'> = { receiveEvents, receiveHead, applyFrame }

/** The page asks for its first snapshot. */
export function openViewer(): ViewerStep {
  const nothing = { connected: false, asks: 0, asked: 0, filling: null, lostTries: 0 }
  return fetchSnapshot({ ...nothing, phase: 'opening', page: null })
}

export function viewerStep(sync: ViewerSync, event: ViewerEvent, rules: ViewerRules): ViewerStep {
  const cell = viewerTable[sync.phase][event.kind] as Cell<ViewerSync, ViewerEvent>
  return cell(sync, event, rules)
}

type Cell<S, E> = (sync: S, event: E, rules: ViewerRules) => ViewerStep
type Row<S> = { readonly [K in ViewerEvent['kind']]: Cell<S, EventOf<K>> }
type Table = { readonly [P in ViewerPhase]: Row<SyncIn<P>> }
type SyncIn<P extends ViewerPhase> = P extends Shown['phase'] ? Shown : ViewerSync

const nothing: Row<ViewerSync> = {
  connected: (sync) => stay({ ...sync, connected: true }),
  disconnected: (sync) => stay({ ...sync, connected: false }),
  snapshotCame: stay,
  snapshotFailed: stay,
  watchAnswered: stay,
  watchFailed: stay,
  rangeFetched: stay,
  rangeFailed: stay,
  eventsCame: stay,
  headCame: stay,
  viewCame: stay,
  framesCame: stay,
  blockCame: stay,
  blockFailed: stay,
  blockDue: stay,
  due: stay,
  closed: (sync) => ({
    sync: { ...sync, phase: 'closed', page: null },
    effects: sync.connected ? [{ do: 'unwatch' }] : [],
  }),
}

/** A snapshot is on its way, or due: what comes on the socket meanwhile is in it, or is caught up with behind it. */
const waitsForSnapshot: Row<ViewerSync> = {
  ...nothing,
  snapshotCame: open,
  snapshotFailed: failed,
  due: (sync, { ask }) => (ask === sync.asked ? fetchSnapshot(sync) : stay(sync)),
}

/** The page is current, or becomes so by what comes. */
const shows: Row<Shown> = {
  ...nothing,
  connected: (sync) => watch({ ...sync, connected: true }),
  disconnected: (sync) => stay({ ...sync, connected: false, phase: 'away', asked: 0 }),
  rangeFetched: fillWith,
  rangeFailed: failed,
  eventsCame: receive,
  headCame: seeHead,
  viewCame: showView,
  framesCame: receiveFrames,
  blockCame: receiveBlock,
  blockFailed,
  blockDue,
  due: fillAgain,
}

const viewerTable: Table = {
  opening: waitsForSnapshot,
  away: shows,
  joining: {
    ...shows,
    watchAnswered: join,
    watchFailed: failed,
    due: (sync, event) => (event.ask === sync.asked ? watch(sync) : fillAgain(sync, event)),
  },
  watching: shows,
  reopening: waitsForSnapshot,
  lost: {
    ...waitsForSnapshot,
    snapshotCame: stay,
    snapshotFailed: stay,
    connected: (sync) => fetchSnapshot({ ...sync, connected: true }),
  },
  refused: {
    ...nothing,
    // Whoever was shown the session may have the right to see it again.
    connected: (sync) => {
      const connected = { ...sync, connected: true }
      return sync.page ? fetchSnapshot(connected) : stay(connected)
    },
  },
  closed: { ...nothing, closed: stay },
}
