/**
 * Answers what programs ask (BUS-12). The first answer counts: that the ask was open, that it is closed and the command that carries the
 * answer are one transaction. An answer permits nothing, and no id makes it decide a permission request.
 */
import { randomUUID } from 'node:crypto'
import { type AskAnswer, type AskAnswerRequest, type AskView, CodedError } from '@roundhouse/backend-types'
import { type Actor, busRole } from '../access/access'
import { entryOf } from '../audit/audit'
import { addressed, rowOf } from '../bus/messages/bus-messages'
import type { Arrivals } from '../bus/peers/arrivals'
import { type PeerBook, peerIdOf } from '../bus/peers/peer-book'
import { maySeePeer, sightOf, type Viewer } from '../bus/reading/bus-sight'
import { sha256 } from '../common/digests'
import type { AskRow } from '../ports/ask-store'
import type { BusStore, PeerRow } from '../ports/bus-store'
import type { SessionCommandsApi } from '../sessions/session-commands'
import { once } from '../writes/once'
import type { PersonTx, WriteAs } from '../writes/write-as'
import { answerData, answerMessage, answerOf } from './answer-message'
import type { AskWatch } from './ask-watch'

interface AsksDeps {
  arrivals: Arrivals
  askWatch: AskWatch
  book: PeerBook
  bus: Pick<BusStore, 'ask' | 'askIn' | 'appendIn'>
  commands: Pick<SessionCommandsApi, 'tell'>
  now: () => number
  writeAs: WriteAs
}

export interface AsksApi {
  find(actor: Actor, peerId: string, requestId: string): Promise<AskView>
  /** Throws `ASK_CLOSED`, with who answered and how, if it is not open. */
  answer(
    actor: Actor,
    peerId: string,
    requestId: string,
    request: AskAnswerRequest,
    idempotencyKey: string,
  ): Promise<AskView>
}

export function createAsks(deps: AsksDeps): AsksApi {
  const { book, bus, arrivals } = deps
  const requirePeer = async (actor: Actor, role: Viewer['role'] | null, peerId: string): Promise<PeerRow> => {
    if (!role) throw new CodedError('FORBIDDEN', undefined, { action: 'session.read' })
    await book.ready()
    const peer = (await book.recall([peerId]))(peerId)
    if (!peer || !maySeePeer({ actor, peerId: peerIdOf(actor), role }, peer)) throw notFound()
    return peer
  }
  const find = async (peerId: string, requestId: string): Promise<AskView> => {
    const row = await bus.ask(peerId, requestId)
    if (!row) throw notFound()
    return { peerId, requestId, state: row.closedAt === null ? 'open' : 'closed', answer: row.answer }
  }
  return {
    find: async (actor, peerId, requestId) => {
      await requirePeer(actor, sightOf(actor, busRole(actor)), peerId)
      return find(peerId, requestId)
    },
    answer: async (actor, peerId, requestId, request, key) => {
      // Rights may end while the body arrives (AUTH-1): they are judged again before anything is looked up.
      await deps.writeAs(actor, async () => {})
      if (busRole(actor) !== 'orchestrator') throw new CodedError('FORBIDDEN', undefined, { action: 'session.prompt' })
      const peer = await requirePeer(actor, 'orchestrator', peerId)
      const from = await arrivals.inTurn(peerIdOf(actor), () => arrivals.arrive(actor, { role: 'orchestrator' }))
      await take(deps, { actor, from, peer, requestId, request }, key)
      const view = await find(peerId, requestId)
      const { answer } = view
      arrivals.changed([peer], answer ? [{ step: 'answered', peerId, requestId, answer, commandId: null }] : [])
      return view
    },
  }
}

const notFound = () => new CodedError('NOT_FOUND', 'There is no such ask.')

interface Answering {
  actor: Actor
  /** The person, as a peer of the bus. */
  from: PeerRow
  peer: PeerRow
  requestId: string
  request: AskAnswerRequest
}

async function take(deps: AsksDeps, answering: Answering, key: string): Promise<void> {
  const { actor, peer, requestId, request } = answering
  const { peerId } = peer
  if (peer.kind !== 'session') {
    const route = `ask.answer ${peerId} ${requestId}`
    await once(deps, { actor, route, key, body: request }, async (tx) => {
      await close(deps, tx, answering, null)
      return {}
    })
    return
  }
  const told = { name: request.decision, correlationId: requestId, data: answerData(requestId, request) }
  await deps.commands.tell(actor, peerId, told, key, (tx, commandId) => close(deps, tx, answering, commandId))
  deps.askWatch.expect(peerId)
}

/** Runs in the transaction that makes the command. */
async function close(deps: AsksDeps, tx: PersonTx, answering: Answering, commandId: string | null): Promise<void> {
  const { actor, from, peer, requestId, request } = answering
  const { peerId } = peer
  const now = deps.now()
  const row = await deps.bus.askIn(tx, peerId, requestId)
  if (!row) throw notFound()
  if (row.closedAt !== null) throw closed(row)
  if (await tx.requests.find(requestId))
    throw new CodedError('FORBIDDEN', 'This is the id of a permission request. A person decides it where it is shown.')
  const answer = answerOf(row.ask, request, { by: actor.name, peerId: from.peerId, at: now })
  const message = answerMessage({ peerId, requestId, request }, randomUUID())
  await deps.bus.appendIn(tx, {
    rows: [addressed(rowOf({ ...message, from_name: actor.name }, from, now), peer)],
    asks: [{ step: 'answered', peerId, requestId, answer, commandId }],
  })
  const { decision, text, option } = request
  const detail = {
    peerId,
    decision,
    ...(option === undefined ? {} : { option }),
    ...(text ? { sentSha256: sha256(text) } : {}),
    ...(commandId === null ? {} : { commandId }),
  }
  await tx.audit.append(entryOf(actor, 'ask.answer', requestId, detail), now)
}

function closed({ answer }: AskRow): CodedError {
  return answer
    ? new CodedError('ASK_CLOSED', `Answered by ${answer.by}: ${wordsOf(answer)}.`, { answer })
    : new CodedError('ASK_CLOSED')
}

const words: Readonly<Record<AskAnswer['decision'], string>> = {
  approve: 'approved',
  reject: 'rejected',
  set_phase: 'told another phase',
  inject_text: 'told what to do',
}
const wordsOf = ({ decision, option }: AskAnswer) => (option ? option.label : words[decision])
