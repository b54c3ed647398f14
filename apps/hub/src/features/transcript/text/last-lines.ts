/** The last line of each running call's live text, by callId; of a helper, what it writes just now. Pure. */
import type { LiveBlock } from '@roundhouse/delivery'
import { ansiSpans } from './ansi'

const LONGEST = 200

type Told = Pick<LiveBlock, 'kind' | 'callId' | 'parentCallId' | 'text'>

export function lastLines(blocks: readonly Told[]): Map<string, string> {
  const lines = new Map<string, string>()
  for (const { kind, callId, parentCallId, text } of blocks) {
    const about = kind === 'tool_progress' ? callId : parentCallId
    if (about === undefined) continue
    const line = plain(text.slice(-4_000)).trimEnd().split('\n').at(-1)?.trim()
    if (line) lines.set(about, line.slice(-LONGEST))
  }
  return lines
}

/** Without the colours of a terminal; what was written over a line stands below it. */
function plain(text: string): string {
  return ansiSpans(text)
    .map((span) => span.text)
    .join('')
}
