/**
 * What is said to managed sessions: a command is recorded before its message, and a repeat under the same id is the same command
 * (BUS-10). A command that cannot be is refused, and its message is not stored.
 */
import { type BusData, toCodedError } from '@roundhouse/backend-types'
import { readTopic } from '@roundhouse/bus'
import { sha256 } from '../../common/digests'
import { hubKey } from '../../common/hub-key'
import type { AskStep } from '../../ports/ask-store'
import type { NewBusRow, PeerRow } from '../../ports/bus-store'
import { commandAnswer, namedAsk } from '../messages/open-asks'
import type { Judged } from './judge-batch'
import { commandRole, nameOfCommand } from './role-commands'

export interface SessionCommand {
  sessionId: string
  name: string
  data: BusData
  correlationId: string | null
  key: string
}

export interface Commanding {
  /** The name of the publisher, as the hub knows it: what a program calls itself may be the name of a person. */
  by: string
  peers: () => readonly PeerRow[]
  maySee: (peer: PeerRow) => boolean
  roleIdOf: (sessionId: string) => Promise<string | null>
  charge: (count: number) => void
  /** Null: there was nothing to do. */
  command: (command: SessionCommand) => Promise<{ commandId: string } | null>
}

/** Messages whose commands are recorded, and the asks that these commands name. */
export interface Taken {
  rows: NewBusRow[]
  told: AskStep[]
}

/** Writes into the results of `judged` what is refused. */
export async function takeCommands(judged: Judged, commanding: Commanding): Promise<Taken> {
  const places = judged.results.flatMap((result, i) => (result ? [] : [i]))
  const taken: Taken = { rows: [], told: [] }
  for (const [i, row] of judged.rows.entries()) {
    try {
      // Most are no commands.
      if (row.topic.startsWith('cmd.')) taken.told.push(...(await takeCommand(row, commanding)))
      taken.rows.push(row)
    } catch (thrown) {
      judged.results[places[i] ?? 0] = { ok: false, error: toCodedError(thrown).toBody() }
    }
  }
  return taken
}

async function takeCommand(row: NewBusRow, { by, command, peers, ...role }: Commanding): Promise<AskStep[]> {
  const { data, correlationId } = row
  const to = readTopic(row.topic)
  const told: AskStep[] = []
  const give = async (sessionId: string, name: string, key: string) => {
    const made = await command({ sessionId, name, data, correlationId, key })
    told.push(...namesAsk(row, sessionId, by, made))
  }
  if (to?.space === 'role') {
    const name = nameOfCommand(row.schema)
    if (name) await commandRole(to.role, { ...role, peers: peers(), command: (id) => give(id, name, keyOf(row, id)) })
  }
  if (to?.space === 'cmd' && row.sessionId === to.peerId) await give(to.peerId, to.name, keyOf(row))
  return told
}

/** Text that is injected is a prompt: no call that asks hears it, whatever it names (BUS-12.2). */
function namesAsk(row: NewBusRow, peerId: string, by: string, made: { commandId: string } | null): AskStep[] {
  const requestId = namedAsk(row)
  const answer = commandAnswer(row, by)
  if (!made || !answer || requestId === null || answer.decision === 'inject_text') return []
  return [{ step: 'told', peerId, requestId, answer, commandId: made.commandId }]
}

/** The same for the same message; `of`: for each session that one message is for. */
const keyOf = ({ fromPeer, messageId }: NewBusRow, ...of: string[]): string =>
  hubKey('bus', sha256([fromPeer, messageId, ...of].join(' ')).slice(0, 40))
