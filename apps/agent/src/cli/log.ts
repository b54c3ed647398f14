/** `log`: what hubs asked of this machine and what became of it, from the agent's own file. Neither hub nor daemon is needed. */
import { setInterval as every } from 'node:timers/promises'
import { turned, VerbEntry } from '../daemon/verbs-log'
import type { AgentHome } from '../files/agent-home'
import { LineFollower } from '../files/follow-file'

const LOOK_MS = 500

/** Without `follow` it ends after what is there, otherwise when `until` aborts. */
export async function showLog(
  home: AgentHome,
  asked: { follow: boolean; json: boolean },
  say: (line: string) => void,
  until?: AbortSignal,
): Promise<void> {
  const show = (line: string) => {
    const text = asked.json ? line : verbLine(line)
    if (text !== null) say(text)
  }
  const now = new LineFollower(home.verbsLog, show)
  try {
    readOnce(turned(home.verbsLog), show)
    now.read()
    if (!asked.follow) return
    for await (const _ of every(LOOK_MS, undefined, until ? { signal: until } : {})) now.read()
  } catch (error) {
    if (!until?.aborted) throw error
  } finally {
    now.close()
  }
}

/** Null for a line that is none of ours: a torn one, after a power cut. */
export function verbLine(line: string): string | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  const read = VerbEntry.safeParse(value)
  if (!read.success) return null
  const { at, verb, sessionId, userId, author, verdict, code, rule } = read.data
  const why = rule === undefined ? code : `${code}, rule ${rule}`
  const end = verdict === 'refused' ? `refused (${why ?? 'no reason'})` : verdict
  return [at, verb.padEnd(18), sessionId, author ?? userId, end].map(inert).join('  ')
}

/** Names come from a hub: nothing in them may move a terminal's cursor or turn the line around. */
const inert = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')

function readOnce(file: string, show: (line: string) => void): void {
  const reader = new LineFollower(file, show)
  reader.read()
  reader.close()
}
