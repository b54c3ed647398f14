/**
 * What a linked chat does in the hub, by the services of the core and with the rights of the link. Each act has the key of its
 * update, so an update that comes again does nothing twice (CMD-1).
 */
import { type CodedError, toCodedError } from '@roundhouse/backend-types'
import { type Actor, type ChannelLinkRow, type ChannelStep, type ChatMessage, idOfKey } from '../../core'
import { newCards, outsideAnySession, startOf } from '../places/chat-places'
import type { ChatServices } from '../port/chat-services'
import {
  approvalsWords,
  chooseFirst,
  chosenMessage,
  helpMessage,
  type Place,
  placesMessage,
  refusals,
  sessionsMessage,
  startHere,
} from '../words/chat-words'
import type { ChatCommand } from './read-text'

export interface ChatTurn {
  link: ChannelLinkRow
  actor: Actor
  /** Of the update. */
  key: string
  now: number
}

/** What is written with the number of the update. */
export type Outcome = Pick<ChannelStep, 'link' | 'replies' | 'newCards'>

const LISTED = 8
const PLACES = 6

const say = (...replies: ChatMessage[]): Outcome => ({ replies })

export async function runCommand(
  services: ChatServices,
  turn: ChatTurn,
  command: Exclude<ChatCommand, 'link' | 'unlink'>,
): Promise<Outcome> {
  switch (command) {
    case 'start':
    case 'help':
      return say(helpMessage)
    case 'sessions': {
      const { items } = await services.sessions.list(turn.actor, { limit: LISTED, archived: 'false' })
      return say(sessionsMessage(items))
    }
    case 'new':
      return say(placesMessage(await placesOf(services, turn)))
    case 'stop':
      return stop(services, turn)
    case 'status':
      return status(services, turn)
  }
}

export async function sendText(services: ChatServices, turn: ChatTurn, text: string): Promise<Outcome> {
  const { link } = turn
  if (link.startLike !== null) return start(services, turn, link.startLike, text)
  if (link.sessionId === null) return say(chooseFirst)
  const session = await viewOf(services, turn.actor, link.sessionId)
  await services.sessions.prompt(turn.actor, link.sessionId, { promptId: idOfKey(turn.key), text }, turn.key)
  if (!session.agentOnline) return say({ text: 'Its machine is not connected. The message waits for it.' })
  return session.turnId === undefined ? {} : say({ text: 'The message waits until the session is done.' })
}

export async function chooseSession(services: ChatServices, turn: ChatTurn, sessionId: string): Promise<Outcome> {
  const session = await viewOf(services, turn.actor, sessionId)
  const { head, requests } = session
  const link = { ...startOf(sessionId, head) }
  return { link, replies: [chosenMessage(session)], newCards: newCards(turn.link.linkId, requests, turn.now) }
}

export async function choosePlace(services: ChatServices, turn: ChatTurn, sessionId: string): Promise<Outcome> {
  const place = await placeOf(services, turn.actor, sessionId)
  return { link: { ...outsideAnySession, startLike: sessionId }, replies: [startHere(place)] }
}

async function start(services: ChatServices, turn: ChatTurn, like: string, prompt: string): Promise<Outcome> {
  const { agentId, settings, agentOnline } = await viewOf(services, turn.actor, like)
  const { backend, workDir } = settings
  const request = { agentId, settings: { backend, workDir }, prompt }
  const { sessionId } = await services.sessions.create(turn.actor, request, turn.key)
  const waits = { text: 'Its machine is not connected. The session starts when it is.' }
  return { link: startOf(sessionId, 0), replies: agentOnline ? [] : [waits] }
}

async function stop(services: ChatServices, turn: ChatTurn): Promise<Outcome> {
  const { sessionId } = turn.link
  if (sessionId === null) return say(chooseFirst)
  const { turnId } = await viewOf(services, turn.actor, sessionId)
  if (turnId === undefined) return say({ text: 'Nothing runs there now.' })
  await services.sessions.interrupt(turn.actor, sessionId, { turnId }, turn.key)
  return say({ text: 'It is being stopped.' })
}

async function status(services: ChatServices, { actor, link }: ChatTurn): Promise<Outcome> {
  const approvals = { text: approvalsWords(actor.only?.has('permission.decide') ?? false) }
  if (link.startLike !== null) return say(startHere(await placeOf(services, actor, link.startLike)), approvals)
  if (link.sessionId === null) return say(chooseFirst, approvals)
  return say(chosenMessage(await viewOf(services, actor, link.sessionId)), approvals)
}

async function placesOf(services: ChatServices, { actor }: ChatTurn): Promise<Place[]> {
  const started = await services.channelGate.startedBy(actor.userId, PLACES)
  const { items } = await services.agents.list(actor)
  const names = new Map(items.map(({ agentId, name }) => [agentId, name]))
  return started.flatMap(({ agentId, ...place }) => {
    const agentName = names.get(agentId)
    return agentName === undefined ? [] : [{ ...place, agentName }]
  })
}

async function placeOf(services: ChatServices, actor: Actor, sessionId: string): Promise<Place> {
  const { agentName, settings } = await viewOf(services, actor, sessionId)
  return { sessionId, agentName, backend: settings.backend, workDir: settings.workDir }
}

const viewOf = async ({ sessions }: ChatServices, actor: Actor, sessionId: string) =>
  (await sessions.snapshot(actor, sessionId, 1)).session

/** What is refused is said in the chat. What only failed is tried again with the update. */
export async function orRefused(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work()
  } catch (thrown) {
    const error = toCodedError(thrown)
    if (error.code === 'INTERNAL' || error.code === 'STORAGE_UNAVAILABLE') throw thrown
    return say({ text: refusalWords(error) })
  }
}

export function refusalWords(error: CodedError): string {
  return error.code === 'RATE_LIMITED' ? refusals.tooFast : error.message
}
