/**
 * `log`: shows the requests of hubs, the permission requests of programs, and their results, from the agent's own file. It
 * needs neither hub nor daemon.
 */
import { setInterval as every } from 'node:timers/promises'
import type { AgentHome } from '../files/agent-home'
import { LineFollower } from '../files/follow-file'
import { inertLine } from '../files/inert-text'
import { turned, VerbEntry } from '../files/verbs-log'

const LOOK_MS = 500

/** Without `follow` it ends after what is there, otherwise when `until` aborts. */
export async function showLog(
  home: AgentHome,
  asked: { follow: boolean; json: boolean },
  say: (line: string) => void,
  until?: AbortSignal,
): Promise<void> {
  const show = (line: string) => {
    const text = asked.json ? line || null : verbLine(line)
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
function verbLine(line: string): string | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  const read = VerbEntry.safeParse(value)
  if (!read.success) return null
  const { at, verb, sessionId, tool, userId, author } = read.data
  const who = tool ?? author ?? userId ?? '-'
  return [at, verb.padEnd(19), sessionId, who, endOf(read.data)].map(inertLine).join('  ')
}

function endOf({ verdict, decision, code, rule }: VerbEntry): string {
  const said = decision === undefined ? verdict : `${decision}: ${verdict}`
  if (verdict !== 'refused') return said
  const why = [code, rule === undefined ? undefined : `rule ${rule}`].filter((word) => word !== undefined)
  return `${said} (${why.join(', ') || 'no reason'})`
}

function readOnce(file: string, show: (line: string) => void): void {
  const reader = new LineFollower(file, show)
  reader.read()
  reader.close()
}
