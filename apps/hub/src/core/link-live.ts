/** Text of blocks that are still being written (LOG-5): never stored, and where a piece is missing it is asked for. */
import type { LiveFrame } from '@roundhouse/backend-types'
import { readBlock } from './answers'
import type { Context } from './context'
import { isCurrent } from './link-current'
import type { LinkFacts } from './link-facts'
import { tellMisdeed } from './misdeeds'
import { projectionOf } from './stored-projection'

const BLOCK_TIMEOUT_MS = 5_000
/** Of one connection; others wait, as many as no honest machine writes at once. */
const ASKED_AT_ONCE = 16
const MOST_WAITING = 2_000

/** Of one connection. Frames of sessions that are not this agent's are dropped. */
export function createLiveTaker(context: Context, facts: LinkFacts): (frames: LiveFrame[]) => void {
  const isOwn = (sessionId: string): boolean => {
    if (context.memory.agentOf(sessionId) === facts.agentId) return true
    const row = context.reads.session(sessionId)
    if (row && row.agentId !== facts.agentId) tellMisdeed(context, facts, 'SESSION_NOT_YOURS', { sessionId })
    return row?.agentId === facts.agentId && !row.damaged
  }
  const askLater = createAsker(context, facts)
  return (frames) => {
    if (!isCurrent(context, facts)) return
    for (const [sessionId, mine] of bySession(frames))
      if (isOwn(sessionId)) take(context, facts, sessionId, mine, askLater)
  }
}

function take(context: Context, facts: LinkFacts, sessionId: string, frames: LiveFrame[], askLater: AskLater): void {
  const stored = () => {
    const row = context.reads.session(sessionId)
    return row ? projectionOf(row) : null
  }
  for (const frame of frames) {
    const ask = context.memory.frame(frame, facts.agentId, stored)
    if (ask) askLater(sessionId, ask)
  }
  context.doorbells.ring('live', { sessionId, frames })
}

/** Each session's in the order in which they came. */
function bySession(frames: readonly LiveFrame[]): Map<string, LiveFrame[]> {
  const sorted = new Map<string, LiveFrame[]>()
  for (const frame of frames) sorted.set(frame.sessionId, [...(sorted.get(frame.sessionId) ?? []), frame])
  return sorted
}

type AskLater = (sessionId: string, ask: { blockId: string; from: number }) => void

function createAsker(context: Context, facts: LinkFacts): AskLater {
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
    if (waiting.length >= MOST_WAITING) return
    waiting.push(() => askForBlock(context, facts, sessionId, ask))
    next()
  }
}

async function askForBlock(
  context: Context,
  facts: LinkFacts,
  sessionId: string,
  ask: { blockId: string; from: number },
): Promise<void> {
  try {
    const answer = await facts.link.ask({ kind: 'block', sessionId, ...ask }, BLOCK_TIMEOUT_MS)
    const { text, from } = readBlock(answer)
    context.memory.blockText(sessionId, { blockId: ask.blockId, from, text })
  } catch (error) {
    context.log.warn({ sessionId, error: String(error) }, 'the agent did not give the text of an open block')
  }
}
