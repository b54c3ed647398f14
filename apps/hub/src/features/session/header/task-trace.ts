/** Finds a background task in the transcript, the last output of its helper, and the output of its command. Pure. */
import type { LiveBlock } from '@roundhouse/delivery'
import type { SeenEvent } from '@roundhouse/hub-client'
import { toolWords } from '../../transcript/changes/tool-words'

export interface TaskTrace {
  /** The event of the call that started it, if it is loaded. */
  seq?: number
  last?: string
}

export function taskTrace(events: readonly SeenEvent[], callId: string | undefined): TaskTrace {
  if (callId === undefined) return {}
  const started = events.find(({ event }) => event?.kind === 'tool_use' && event.callId === callId)
  let last: string | undefined
  for (let at = events.length - 1; at >= 0 && last === undefined; at--) last = wordsOf(events[at], callId)
  return { ...(started ? { seq: started.seq } : {}), ...(last === undefined ? {} : { last }) }
}

const LINES = 12
const CHARACTERS = 4_000

/** The last lines that a command printed; empty if unknown. */
export function lastOutput(
  blocks: readonly Pick<LiveBlock, 'kind' | 'callId' | 'text'>[],
  callId: string | undefined,
): string {
  const block = blocks.findLast((one) => one.kind === 'tool_progress' && one.callId === callId)
  if (!block || callId === undefined) return ''
  const lines = block.text
    .slice(-CHARACTERS)
    .trimEnd()
    .split(/\r\n|[\r\n]/)
  return lines.slice(-LINES).join('\n')
}

function wordsOf(seen: SeenEvent | undefined, callId: string): string | undefined {
  const event = seen?.event
  if (event?.kind === 'assistant_text' && event.parentCallId === callId) {
    const text = typeof event.text === 'string' ? event.text : event.text.tail
    return text.trim().split('\n').at(-1) || undefined
  }
  if (event?.kind !== 'tool_use' || event.parentCallId !== callId) return undefined
  const { verb, object } = toolWords(event)
  return `${verb} ${object}`.trim()
}
