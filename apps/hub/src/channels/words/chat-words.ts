/** What the hub says in a chat by itself. Pure. */
import { type ChannelKind, channelNames, type SessionStatus, type SessionSummary } from '@roundhouse/backend-types'
import type { ChatMessage } from '../../core'
import { oneLine } from './split-text'

/** Each is one line: strangers, groups and callers that are too fast learn nothing else. */
export const refusals = {
  stranger: 'This bot talks only to people who have linked this chat. Send /link and the code from your account page.',
  group: 'This bot works in private chats only.',
  tooFast: 'That was too much at once, and was not sent. Wait a moment.',
  wrongCode: 'That code is wrong, used, or too old. Create a new one on your account page.',
  tooManyCodes: 'Too many codes were tried. Wait ten minutes.',
  notText: 'Only text can be sent from here.',
  broken: 'Something went wrong. Nothing was sent.',
} as const

const commandsList = `/sessions: choose a session
/new: start one
/stop: stop what the session does now
/status: what this chat is connected to
/unlink: disconnect this chat from your account
/help: this list

Everything else you write goes to the session.`

export const helpMessage: ChatMessage = { text: commandsList }

export const welcomeMessage = (name: string): ChatMessage => ({
  text: `This chat now acts for ${oneLine(name, 80)}.\n\n${commandsList}`,
})

export const unlinkedWords = (kind: ChannelKind): string =>
  `This chat is disconnected. You can link it again on your account page, under ${channelNames[kind]}.`

export const approvalsWords = (approvals: boolean): string =>
  approvals
    ? 'Permission requests can be decided here.'
    : 'Permission requests are decided on the page. You can change that on your account page.'

export const chooseFirst: ChatMessage = { text: 'Choose a session first: /sessions. Or start one: /new.' }

const statuses: Readonly<Record<SessionStatus['status'], string>> = {
  waiting_for_agent: 'waits for its machine',
  starting: 'starting',
  idle: 'idle',
  running: 'working',
  needs_you: 'needs you',
  paused: 'paused',
  resumable: 'program stopped',
  ended: 'ended',
}

type Named = Pick<SessionSummary, 'title' | 'agentName' | 'agentOnline' | 'status' | 'lastLine'>

const nameOfSession = ({ title }: Pick<SessionSummary, 'title'>): string => oneLine(title, 60) || 'Untitled'

const statusWords = ({ status, agentOnline, agentName }: Named): string =>
  `${statuses[status.status]}, on ${oneLine(agentName, 40)}${agentOnline ? '' : ' (not connected)'}`

const LABEL_CHARS = 60
/** A chat service limits what a button carries. */
const DATA_BYTES = 64
const fits = ({ data }: { data: string }) => Buffer.byteLength(data) <= DATA_BYTES

/** A long title loses its end, never the status. */
function labelOf({ title, status }: SessionSummary): string {
  const words = statuses[status.status]
  return `${oneLine(title, LABEL_CHARS - words.length - 2) || 'Untitled'}: ${words}`
}

export function sessionsMessage(sessions: readonly SessionSummary[]): ChatMessage {
  if (sessions.length === 0) return { text: 'There is no session. Start one: /new.' }
  const rows = sessions.map((session) => ({
    label: labelOf(session),
    data: `s:${session.sessionId}`,
  }))
  return { text: 'Choose a session:', buttons: rows.filter(fits).map((button) => [button]) }
}

export interface Place {
  sessionId: string
  agentName: string
  backend: string
  workDir: string
}

const placeWords = ({ agentName, backend, workDir }: Place): string =>
  `${oneLine(backend, 20)} in ${endOfPath(workDir, 60)} on ${oneLine(agentName, 30)}`

/** The end of a path says more than its beginning. */
function endOfPath(path: string, most: number): string {
  const line = oneLine(path, path.length)
  return line.length > most ? `…${line.slice(1 - most)}` : line
}

export function placesMessage(places: readonly Place[]): ChatMessage {
  if (places.length === 0) return { text: 'Start your first session on the page. Here you can start one like it.' }
  const rows = places.map((place) => ({ label: placeWords(place), data: `n:${place.sessionId}` }))
  return { text: 'Start a session with:', buttons: rows.filter(fits).map((button) => [button]) }
}

export const startHere = (place: Place): ChatMessage => ({
  text: `The next message starts ${placeWords(place)}. To cancel, choose a session: /sessions.`,
})

export const chosenMessage = (session: Named): ChatMessage => ({
  text: `You are in “${nameOfSession(session)}”: ${statusWords(session)}.${
    session.lastLine ? `\nLast: ${oneLine(session.lastLine, 300)}` : ''
  }`,
})
