/** What the results of calls say: every line that the program wrote down of one stands in ours. */
import type { SessionEvent } from '@roundhouse/backend-types'
import type { Seen } from './own-records'

/** What the programs add for their models to what a call gave back. */
const addedForModel = [
  /^(Exit code|Wall time|Output|Total output lines|Chunk ID|Process exited with code|Original token count|Script completed)\b/,
  /^<\/?system-reminder>/,
]

/** One row for each result of which a line is not in our log. */
export function changedOutputs(own: readonly Seen[], events: readonly SessionEvent[]): string[] {
  const ours = new Map<string, string>()
  for (const event of events) {
    if (event.kind !== 'tool_result') continue
    ours.set(event.callId, `${ours.get(event.callId) ?? ''}\n${stringsIn(event.output).join('\n')}`)
  }
  return own.flatMap((seen) => {
    const text = seen.who === 'result' && seen.key !== undefined ? ours.get(seen.key) : undefined
    if (text === undefined) return []
    const lost = linesOf(seen.text).filter((line) => !text.includes(line))
    const [first] = lost
    return first === undefined
      ? []
      : [`${seen.file}:${seen.line} ${lost.length} lines, first ${JSON.stringify(first.slice(0, 160))}`]
  })
}

function linesOf(text: string): string[] {
  const lines = stringsIn(parsed(text)).flatMap((part) => part.split('\n'))
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !addedForModel.some((mark) => mark.test(line)))
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
