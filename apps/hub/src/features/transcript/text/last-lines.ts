/** The last line of each running call's live text, by callId. For a helper: the text that it is writing now. Pure. */
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

/** Without terminal colours. Text that was written over a line follows on the next line. */
function plain(text: string): string {
  return ansiSpans(text)
    .map((span) => span.text)
    .join('')
}
