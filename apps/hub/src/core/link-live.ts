/** Text of blocks that are still being written (LOG-5): never stored, and where a piece is missing it is asked for. */
import type { LiveFrame } from '@roundhouse/backend-types'
import { readBlock } from './answers'
import type { Context } from './context'
import { isCurrent } from './link-current'
import type { LinkFacts } from './link-facts'
import { tellMisdeed } from './misdeeds'

const BLOCK_TIMEOUT_MS = 5_000

/** Of one connection. Frames of sessions that are not this agent's are dropped. */
export function createLiveTaker(context: Context, facts: LinkFacts): (frames: LiveFrame[]) => void {
  const own = new Set<string>()
  const isOwn = (sessionId: string): boolean => {
    if (own.has(sessionId)) return true
    const owner = context.reads.session(sessionId)?.agentId
    if (owner !== facts.agentId) {
      if (owner !== undefined) tellMisdeed(context, facts, 'SESSION_NOT_YOURS', { sessionId })
      return false
    }
    own.add(sessionId) // it stays so: a session never moves (SES-4)
    return true
  }
  return (frames) => {
    if (!isCurrent(context, facts)) return
    for (const [sessionId, mine] of bySession(frames)) if (isOwn(sessionId)) take(context, facts, sessionId, mine)
  }
}

function take(context: Context, facts: LinkFacts, sessionId: string, frames: LiveFrame[]): void {
  for (const frame of frames) {
    const ask = context.memory.frame(frame, facts.agentId)
    if (ask) void askForBlock(context, facts, sessionId, ask)
  }
  context.doorbells.ring('live', { sessionId, frames })
}

/** Each session's in the order in which they came. */
function bySession(frames: readonly LiveFrame[]): Map<string, LiveFrame[]> {
  const sorted = new Map<string, LiveFrame[]>()
  for (const frame of frames) sorted.set(frame.sessionId, [...(sorted.get(frame.sessionId) ?? []), frame])
  return sorted
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
