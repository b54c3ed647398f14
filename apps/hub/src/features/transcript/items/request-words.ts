/** What a program asked of its tree of sessions: on the card of its tool, or on a line where it asked in another way. Its values are the program's own. */
import { isOwnTool, type SessionEventOf } from '@roundhouse/backend-types'
import type { Marker, ToolState } from './items'
import { outputText } from './output-text'

const LONGEST = 400
const SESSION_ID = /^ses_[\w-]{1,60}$/
const STARTED = /"sessionId"\s*:\s*"(ses_[\w-]{1,60})"/

type Request = SessionEventOf<'session_request'>

export function requestWords({ verb, input }: Request): Marker {
  const text = (key: string) => {
    const value = input[key]
    return typeof value === 'string' ? value.slice(0, LONGEST) : ''
  }
  const at = text('machine') ? ` on ${text('machine')}` : ''
  const other = SESSION_ID.test(text('sessionId')) ? { sessionId: text('sessionId') } : {}
  if (verb === 'spawn')
    return { tone: 'quiet', text: `Asks for another session${at}: ${text('title') || text('prompt')}` }
  if (verb === 'send') return { tone: 'quiet', text: `Writes to another session: ${text('text')}`, ...other }
  if (verb === 'read')
    return { tone: 'quiet', text: text('sessionId') ? 'Reads another session' : 'Reads facts of its own', ...other }
  if (verb === 'wait') return { tone: 'quiet', text: 'Waits for other sessions' }
  return { tone: 'quiet', text: `Asks the hub: ${verb}` }
}

const tools: Readonly<Record<string, string>> = {
  spawn: 'spawn_session',
  send: 'send_message',
  read: 'read_session',
  wait: 'wait_sessions',
}

/** Whether this is the card of the call that asked. */
export const isCardOf = ({ toolName, state }: ToolState, { verb }: Request): boolean =>
  state === 'running' && isOwnTool(toolName) && toolName.endsWith(`__${tools[verb]}`)

/** The session that a call of our own tools started, wrote to or read. */
export function otherSession(tool: Pick<ToolState, 'toolName' | 'input' | 'output'>): string | null {
  if (!isOwnTool(tool.toolName)) return null
  const { sessionId } = { sessionId: undefined, ...(tool.input as object | null) } as { sessionId: unknown }
  if (typeof sessionId === 'string') return SESSION_ID.test(sessionId) ? sessionId : null
  if (!tool.toolName.endsWith(`__${tools.spawn}`)) return null
  return STARTED.exec(outputText(tool.output))?.[1] ?? null
}
