/** The last line of each running call's live text, by callId. Pure. */
import type { LiveBlock } from '@roundhouse/delivery'

const LONGEST = 200

type Told = Pick<LiveBlock, 'kind' | 'callId' | 'text'>

export function lastLines(blocks: readonly Told[]): Map<string, string> {
  const lines = new Map<string, string>()
  for (const { kind, callId, text } of blocks) {
    if (kind !== 'tool_progress' || callId === undefined) continue
    const line = text.slice(-4_000).trimEnd().split('\n').at(-1)?.trim()
    if (line) lines.set(callId, line.slice(-LONGEST))
  }
  return lines
}
