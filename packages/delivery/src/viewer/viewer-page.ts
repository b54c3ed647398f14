/** How a page begins: with a snapshot, and in the room of its session. */
import type { LiveFrame, OpenBlock, Snapshot } from '@roundhouse/backend-types'
import { applyFrame, applyText, emptyBlocks, type LiveBlocks } from '../events/live-blocks'
import { openCursor } from './receive-events'
import { andThen, type EventOf, fetchSnapshot, stay, watch } from './viewer-asks'
import { seeHead } from './viewer-receives'
import type { Shown, ViewerEffect, ViewerPage, ViewerRules, ViewerStep, ViewerSync } from './viewer-state'

export function open(sync: ViewerSync, { ask, snapshot }: EventOf<'snapshotCame'>): ViewerStep {
  if (ask !== sync.asked) return stay(sync)
  const page: ViewerPage = {
    opened: ask,
    cursor: openCursor(snapshot.hubEpoch, snapshot.head),
    head: snapshot.head,
    viewRev: snapshot.session.rev,
    blocks: blocksOf(snapshot),
  }
  const opened: Shown = { ...sync, phase: 'away', page, filling: null, lostTries: 0 }
  const effects: ViewerEffect[] = [
    { do: 'reset', snapshot },
    { do: 'showBlocks', blocks: page.blocks },
  ]
  return andThen({ sync: opened, effects }, () => (sync.connected ? watch(opened) : stay(opened)))
}

export function join(sync: Shown, { ask, reply }: EventOf<'watchAnswered'>, rules: ViewerRules): ViewerStep {
  if (ask !== sync.asked) return stay(sync)
  if (reply.tooFar || reply.hubEpoch !== sync.page.cursor.hubEpoch) return fetchSnapshot(sync)
  return seeHead({ ...sync, phase: 'watching' }, reply, rules)
}

/** The kept end of a long block begins at `from`: an empty frame opens it, the text follows as an answer would. */
function blocksOf({ openBlocks, session }: Snapshot): LiveBlocks {
  let blocks = emptyBlocks()
  for (const block of openBlocks) {
    blocks = applyFrame(blocks, frameOf(session.sessionId, block)).blocks
    blocks = applyText(blocks, block)
  }
  return blocks
}

function frameOf(sessionId: string, block: OpenBlock): LiveFrame {
  const { length: _length, ...about } = block
  return { ...about, sessionId, offset: 0, text: '' }
}
