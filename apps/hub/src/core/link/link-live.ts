/** Text of blocks that are still being written (LOG-5). It is never stored; the hub asks for missing pieces. */

import type { LiveFrame } from '@roundhouse/backend-types'
import type { SessionProjection } from '@roundhouse/delivery'
import { blockOf } from '../common/answers'
import type { Doorbells } from '../doorbells/doorbells'
import type { Reads } from '../ports/stores'
import type { SessionMemory } from '../views/session-memory'
import { isCurrent, type LinkCurrentDeps } from './link-current'
import type { LinkFacts } from './link-facts'
import { type MisdeedsDeps, tellMisdeed } from './misdeeds'

export interface LinkLiveDeps extends Pick<LinkCurrentDeps, 'presence' | 'reads'>, MisdeedsDeps {
  reads: Pick<Reads, 'machines' | 'sessions'>
  doorbells: Doorbells
  memory: SessionMemory
}

const BLOCK_TIMEOUT_MS = 5_000
/** The questions in flight of one connection. Others wait, as many as an honest machine can need. */
const ASKED_AT_ONCE = 16
const MOST_WAITING = 2_000
/** How long a block whose question failed is not asked about again. */
const AGAIN_MS = 1_000

/**
 * Takes live frames of one connection in their order, although the first of each session needs a lookup. Frames of
 * sessions of other agents are dropped.
 */
export function createLiveTaker(deps: LinkLiveDeps, facts: LinkFacts): (frames: LiveFrame[]) => Promise<void> {
  const askLater = createAsker(deps, facts)
  let before: Promise<unknown> = Promise.resolve()
  return (frames) => {
    const taken = before.then(() => takeAll(deps, facts, frames, askLater))
    before = taken.catch(() => {}) // their sender gets the error; the next frames are independent
    return taken
  }
}

async function takeAll(deps: LinkLiveDeps, facts: LinkFacts, frames: LiveFrame[], askLater: AskLater): Promise<void> {
  if (!(await isCurrent(deps, facts))) return
  for (const [sessionId, mine] of bySession(frames)) await take(deps, facts, sessionId, mine, askLater)
}

async function take(
  deps: LinkLiveDeps,
  facts: LinkFacts,
  sessionId: string,
  frames: LiveFrame[],
  askLater: AskLater,
): Promise<void> {
  const { memory, doorbells } = deps
  const give = (stored: SessionProjection | null) => {
    for (const frame of frames) {
      const ask = memory.frame(frame, facts.agentId, stored)
      if (ask) askLater(sessionId, ask)
    }
    doorbells.ring('live', { sessionId, frames })
  }
  if (memory.agentOf(sessionId) === facts.agentId) return give(null)
  await memory.following(sessionId, async (followed) => {
    const row = await deps.reads.sessions.find(sessionId)
    if (row && row.agentId !== facts.agentId) tellMisdeed(deps, facts, 'SESSION_NOT_YOURS', { sessionId })
    if (row?.agentId === facts.agentId && !row.damaged) give(followed.latest ?? row.projection)
  })
}

/** Groups the frames by session, in their order. */
function bySession(frames: readonly LiveFrame[]): Map<string, LiveFrame[]> {
  const sorted = new Map<string, LiveFrame[]>()
  for (const frame of frames) sorted.set(frame.sessionId, [...(sorted.get(frame.sessionId) ?? []), frame])
  return sorted
}

type AskLater = (sessionId: string, ask: { blockId: string; from: number }) => void

function createAsker(deps: LinkLiveDeps, facts: LinkFacts): AskLater {
  const waiting: Array<() => Promise<void>> = []
  let asked = 0
  const next = () => {
    const first = asked < ASKED_AT_ONCE ? waiting.shift() : undefined
    if (!first) return
    asked += 1
    void first().then(() => {
      asked -= 1
      next()
    })
  }
  return (sessionId, ask) => {
    if (waiting.length >= MOST_WAITING) return againLater(deps, sessionId, ask.blockId)
    waiting.push(() => askForBlock(deps, facts, sessionId, ask))
    next()
  }
}

async function askForBlock(
  deps: LinkLiveDeps,
  facts: LinkFacts,
  sessionId: string,
  ask: { blockId: string; from: number },
): Promise<void> {
  try {
    const answer = await facts.link.ask({ kind: 'block', sessionId, ...ask }, BLOCK_TIMEOUT_MS)
    const { text, from } = blockOf(answer)
    deps.memory.blockText(sessionId, { blockId: ask.blockId, from, text })
  } catch (error) {
    deps.log.warn({ sessionId, error: String(error) }, 'the agent did not send the text of an open block')
    againLater(deps, sessionId, ask.blockId)
  }
}

/** From then on a frame of this connection or the next may ask again. */
function againLater({ memory }: LinkLiveDeps, sessionId: string, blockId: string): void {
  setTimeout(() => memory.noBlockText(sessionId, blockId), AGAIN_MS).unref()
}
