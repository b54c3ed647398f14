/** The last line of each running call's live text, by callId; of a helper, what it writes just now. Pure. */
import type { LiveBlock } from '@roundhouse/delivery'

const LONGEST = 200

type Told = Pick<LiveBlock, 'kind' | 'callId' | 'parentCallId' | 'text'>

export function lastLines(blocks: readonly Told[]): Map<string, string> {
  const lines = new Map<string, string>()
  for (const { kind, callId, parentCallId, text } of blocks) {
    const about = kind === 'tool_progress' ? callId : parentCallId
    if (about === undefined) continue
    const line = text.slice(-4_000).trimEnd().split('\n').at(-1)?.trim()
    if (line) lines.set(about, line.slice(-LONGEST))
  }
  return lines
}
