/** Describes what happened to the session itself in one line. Exhaustive; `null` for events that other items show. Pure. */
import { type SessionEvent, type SessionEventOf, unwrapShell } from '@roundhouse/backend-types'
import { shortBytes } from '../../../ui/text/bytes'
import { sandboxLabel } from '../../../ui/text/setting-words'
import { shortCount } from '../../../ui/text/short-count'
import { dayTime } from '../../../ui/text/time'
import { sentence } from '../../advice/what-next'
import type { Marker } from './items'
import { type Names, plainNames } from './names'
import { publishedWords } from './published-words'
import { requestWords } from './request-words'
import { roleNotesMarker } from './role-notes'

export type Marked = Exclude<
  SessionEvent,
  {
    kind:
      | 'user_message'
      | 'assistant_text'
      | 'thinking'
      | 'tool_use'
      | 'tool_result'
      | 'plan'
      | 'permission_requested'
      | 'permission_resolved'
      | 'turn_completed'
  }
>

export function markerOf(event: Marked, names: Names = plainNames): Marker | null {
  switch (event.kind) {
    case 'session_created':
      return {
        tone: 'quiet',
        text: `Session created for ${names.backend(event.settings.backend)} in ${event.realWorkDir}`,
      }
    case 'session_started':
      return event.resumed
        ? { tone: 'quiet', text: 'Continued the same conversation', detail: event.backendSessionId }
        : null
    case 'session_configured':
      return configured(event, names)
    case 'turn_started':
      if (event.elsewhere) return { tone: 'quiet', text: 'Continued elsewhere. The next prompt goes on from here.' }
      return event.trigger === 'backend' ? { tone: 'quiet', text: 'The program started a turn by itself' } : null
    case 'system':
      return system(event)
    case 'grant_ended':
      return { tone: 'quiet', text: `A permission ended: ${grantEnd[event.why]}` }
    case 'token_budget_warning':
      return {
        tone: 'needs',
        text: `The conversation fills ${Math.round((event.used / event.hardLimit) * 100)} % of what the model can hold: ${budgetWords(event)}`,
      }
    case 'published':
      return publishedWords(event)
    case 'session_request':
      return requestWords(event)
    case 'process_exited':
      return exited(event)
    case 'session_ended':
      return {
        tone: event.why === 'stopped' ? 'done' : 'failed',
        text: sessionEnd[event.why],
        ...(event.error ? { detail: event.error.message } : {}),
      }
    case 'gap':
      return { tone: 'failed', text: `Events ${event.from} to ${event.to} are missing: ${gapWhy[event.reason]}` }
  }
}

const budgetWords = ({ used, hardLimit, distanceToHard }: SessionEventOf<'token_budget_warning'>): string =>
  `${shortCount(used)} of ${shortCount(hardLimit)} tokens, ${shortCount(Math.abs(distanceToHard))} ${distanceToHard < 0 ? 'too many' : 'left'}`

function configured(event: SessionEventOf<'session_configured'>, names: Names): Marker | null {
  const changes = Object.entries(event.changes).filter(([, value]) => value !== undefined)
  if (event.error) return { tone: 'needs', text: `${sentence(event.error.message)} ${nowWords(event, changes, names)}` }
  if (changes.length === 0) return null
  const words = changes
    .map(
      ([name, value]) => `${settingNames[name] ?? name} ${settingWords(name, String(value ?? 'of the model'), names)}`,
    )
    .join(', ')
  return { tone: 'quiet', text: `${configuredBy[event.by]} ${words}` }
}

/** What holds after a program refused a setting. */
function nowWords(
  { unset = [] }: SessionEventOf<'session_configured'>,
  changes: ReadonlyArray<[string, unknown]>,
  names: Names,
): string {
  const back = changes.map(([name, value]) => `the ${name} is ${settingWords(name, String(value), names)} again`)
  const gone = unset.map((name) => `the ${name} is the program’s own again`)
  return `So ${[...back, ...gone].join(', and ')}.`
}

function settingWords(name: string, value: string, names: Names): string {
  return name === 'mode' ? `“${names.mode(value)}”` : name === 'sandbox' ? `“${sandboxLabel(value)}”` : value
}

const configuredBy: Record<SessionEventOf<'session_configured'>['by'], string> = {
  person: 'Changed to',
  backend: 'The program changed to',
  ladder: 'Answers are shorter now to make room:',
}

const settingNames: Record<string, string> = { maxOutputTokens: 'answer limit', maxThinkingTokens: 'thinking limit' }

/** Leaves out reports of the backend that nobody would ask about. */
function system(event: SessionEventOf<'system'>): Marker | null {
  const data = (event.data ?? {}) as Record<string, unknown>
  if (event.subtype === 'api_retry' || event.subtype === 'retry') {
    return { tone: 'needs', text: `The model service did not answer; trying again (${String(data.attempt ?? '?')})` }
  }
  if (event.subtype === 'line_dropped') {
    const size = typeof data.bytes === 'number' ? ` of ${shortBytes(data.bytes)}` : ''
    return {
      tone: 'needs',
      text: `The program printed a line${size}, too long to read. The machine keeps its start and end in the raw log.`,
    }
  }
  if (event.subtype === 'conversation_cleared') {
    return { tone: 'quiet', text: 'Conversation cleared: the model knows nothing of what stands above' }
  }
  if (event.subtype === 'background_ended') {
    return { tone: data.why === 'stopped' ? 'quiet' : 'needs', text: backgroundEnded(data) }
  }
  if (event.subtype === 'background_finished') return finished(data)
  if (event.subtype === 'conversation_moved') {
    return { tone: 'quiet', text: 'The program goes on with this conversation under another id' }
  }
  if (event.subtype === 'project_config_left_out' && typeof data.message === 'string') {
    return { tone: 'quiet', text: data.message }
  }
  if (event.subtype === 'files_rewound') return rewound(data)
  if (event.subtype === 'role_notes') return roleNotesMarker(data)
  if (/compact/i.test(event.subtype)) return compacted(data)
  if (event.subtype === 'mcp_server_failed') return serverFailed(data)
  if (event.subtype === 'rate_limit') return rateLimited(data)
  if (/^(error|warning|api_error|transcript_untold|log_damaged|output_lost)$/.test(event.subtype)) {
    return {
      tone: 'needs',
      text: typeof data.message === 'string' ? data.message : `The program reported: ${event.subtype}`,
    }
  }
  return null
}

function backgroundEnded(data: Record<string, unknown>): string {
  return taskWords(data, data.why === 'stopped' ? 'stopped' : 'ended with the program')
}

function taskWords({ kind, label }: Record<string, unknown>, what: string): string {
  return `Background ${kind === 'helper' ? 'sub-agent' : 'command'} ${what}: ${unwrapShell(String(label))}`
}

/** The stop of a task is reported elsewhere: a person's in its own event, the model's in its call. */
function finished(data: Record<string, unknown>): Marker | null {
  const { outcome, exitCode, message } = data
  if (outcome === 'completed') return { tone: 'quiet', text: taskWords(data, 'finished') }
  if (outcome !== 'failed') return null
  const code = typeof exitCode === 'number' ? ` with exit code ${exitCode}` : ''
  return { tone: 'failed', text: taskWords(data, `failed${code}`), ...(message ? { detail: String(message) } : {}) }
}

/** An agent of an earlier release reports Codex's compaction twice, when it begins and when it is done. */
function compacted(data: Record<string, unknown>): Marker | null {
  if (data.status === 'started') return null
  const { tokensBefore, tokensAfter } = data
  const known = typeof tokensBefore === 'number' && typeof tokensAfter === 'number'
  const figures = known ? ` from ${shortCount(tokensBefore)} to ${shortCount(tokensAfter)} tokens` : ''
  return { tone: 'quiet', text: `Conversation compacted${figures}` }
}

function rewound({ count, files }: Record<string, unknown>): Marker {
  const names = Array.isArray(files) ? files.map(String).join('\n') : ''
  const what = count === 1 ? '1 file was' : `${typeof count === 'number' ? count : 'Some'} files were`
  return { tone: 'quiet', text: `${what} put back as before a prompt`, ...(names ? { detail: names } : {}) }
}

function serverFailed({ name, message }: Record<string, unknown>): Marker {
  const why = typeof message === 'string' ? `: ${message}` : ''
  return { tone: 'needs', text: `The MCP server ${typeof name === 'string' ? name : ''} did not start${why}` }
}

function rateLimited({ status, limit, usedPercent, resetsAt }: Record<string, unknown>): Marker {
  const window = typeof limit === 'string' ? ` (${limit})` : ''
  const reset = typeof resetsAt === 'number' ? `. It resets ${dayTime(resetsAt)}` : ''
  if (status === 'reached') return { tone: 'failed', text: `Usage limit reached${window}${reset}` }
  const share = typeof usedPercent === 'number' ? `${usedPercent} % of the` : 'Most of the'
  return { tone: 'needs', text: `${share} usage limit is used${window}${reset}` }
}

function exited(event: SessionEventOf<'process_exited'>): Marker {
  const how = event.signal ? ` (signal ${event.signal})` : event.code === null ? '' : ` (code ${event.code})`
  const detail = [event.error?.message, event.stderrTail].filter(Boolean).join('\n')
  return {
    exit: true,
    tone: event.cause === 'killed' ? 'quiet' : 'failed',
    text: `${exitCause[event.cause]}${how}.`,
    ...(detail ? { detail } : {}),
  }
}

/** `killed`: on purpose, by a person or with the session. */
const exitCause: Record<SessionEventOf<'process_exited'>['cause'], string> = {
  crashed: 'The program crashed',
  killed: 'The program was stopped',
  host_died: 'The session host died and the program was ended with it',
  start_failed: 'The program did not start',
}
const grantEnd: Record<SessionEventOf<'grant_ended'>['why'], string> = {
  revoked: 'revoked',
  expired: 'it expired',
  crash: 'the program crashed',
  policy: 'the policy of the machine changed',
  session_ended: 'the session ended',
}
const sessionEnd: Record<SessionEventOf<'session_ended'>['why'], string> = {
  stopped: 'The session was ended',
  deleted: 'The session was deleted',
  resume_unavailable: 'The program no longer knows this conversation',
  agent_revoked: 'The machine was revoked',
  failed: 'The session failed',
}
const gapWhy: Record<SessionEventOf<'gap'>['reason'], string> = {
  rebase: 'the log of the machine was replaced',
  pruned: 'the machine no longer had them when the hub asked',
  corrupt: 'they could not be read where they are stored',
}
