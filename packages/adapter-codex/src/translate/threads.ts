/**
 * Which thread belongs where. One thread is the session; every other one on the same pipe is a sub-agent, which is
 * named by the tool call that started it. Its name may come after the sub-agent's first words (recorded), so the
 * frames of a thread that is not yet named are held back until it is.
 */

import { asRecord, asText, asTexts, type Json } from '@roundhouse/adapter-kit/read'
import { subAgentName } from './items'

export interface Frame {
  method: string
  params: Json
}

const heldLimit = 2_000

export class Threads {
  private readonly parents = new Map<string, string>()
  private readonly names = new Map<string, string>()
  private readonly held = new Map<string, Frame[]>()
  /** Threads that no tool call ever named (a review, a compaction): theirs is raw. */
  private readonly strangers = new Set<string>()

  constructor(readonly main: string) {}

  kindOf(threadId: string): 'main' | 'sub' | 'unknown' | 'stranger' {
    if (threadId === this.main) return 'main'
    if (this.parents.has(threadId)) return 'sub'
    return this.strangers.has(threadId) ? 'stranger' : 'unknown'
  }

  parentCallOf(threadId: string): string | undefined {
    return this.parents.get(threadId)
  }

  /** The name of a sub-agent, or its task. */
  nameOf(threadId: string): string | undefined {
    return this.names.get(threadId)
  }

  /** Keeps a frame of an unknown thread. Returns what it must give up as raw because it grew too long. */
  hold(threadId: string, frame: Frame): Frame[] {
    const frames = this.held.get(threadId) ?? []
    frames.push(frame)
    this.held.set(threadId, frames)
    if (frames.length <= heldLimit) return []
    this.held.delete(threadId)
    this.strangers.add(threadId)
    return frames
  }

  /** Learns from an item which threads it started. Returns the frames that were held for them. */
  learn(item: Json): Frame[] {
    const callId = asText(item.id)
    if (callId === undefined) return []
    const released: Frame[] = []
    const name = subAgentName(item)
    for (const threadId of startedThreads(item)) {
      if (threadId === this.main || this.parents.has(threadId)) continue
      this.strangers.delete(threadId)
      this.parents.set(threadId, callId)
      if (name !== undefined) this.names.set(threadId, name)
      released.push(...(this.held.get(threadId) ?? []))
      this.held.delete(threadId)
    }
    return released
  }

  /** The turn is over and nothing named these threads any more. */
  giveUp(): Frame[] {
    const frames = [...this.held.values()].flat()
    for (const threadId of this.held.keys()) this.strangers.add(threadId)
    this.held.clear()
    return frames
  }
}

/** The thread that a notification belongs to, if it belongs to one. */
export function threadOf(params: Json): string | undefined {
  return asText(params.threadId) ?? asText(asRecord(params.thread).id)
}

/** Codex has two generations of sub-agents, chosen per model; each names what it started in its own item. */
function startedThreads(item: Json): string[] {
  if (item.type === 'collabAgentToolCall' && item.tool === 'spawnAgent') return asTexts(item.receiverThreadIds)
  if (item.type === 'subAgentActivity' && item.kind === 'started') return asTexts([item.agentThreadId])
  return []
}
