/**
 * The way of a command to its session's host, which is started where none runs. A host that is just leaving is not an
 * answer: the next one gets the command, and finds it in the inbox if the first had taken it. A command that ends the work
 * arrives also where the host lives and answers nobody: that host is ended, and the next one is told.
 */
import type { Command, CommandAnswer } from '@roundhouse/backend-types'
import type { HostClient } from '../host-contract/client'
import { late, within } from './leave-host'
import type { SessionSlot } from './session-slot'

/** Within this time an accepted command is on the disk, where the disk takes it. */
const ANSWER_MS = 10_000

type Send = (host: HostClient) => Promise<CommandAnswer>
type Slot = Pick<SessionSlot, 'host' | 'attached' | 'stuck' | 'endSilent'>

export async function forwardCommand(
  { body }: Command,
  slot: Slot,
  send: Send,
  withPlace: boolean,
  answerMs = ANSWER_MS,
): Promise<CommandAnswer> {
  if (!endsWork.has(body.kind)) return sendTo(slot, send, withPlace)
  const insist: Send = async (host) => {
    const answer = send(host)
    // Once it is ended nobody answers, and the next host is asked.
    if ((await within(answerMs, answer)) === late) await slot.endSilent(host)
    return answer
  }
  try {
    return await sendTo(slot, insist, withPlace)
  } catch (error) {
    if (!slot.stuck) throw error
    await slot.endSilent(null)
    return sendTo(slot, send, withPlace)
  }
}

async function sendTo(slot: Slot, send: Send, withPlace: boolean): Promise<CommandAnswer> {
  const first = await slot.host(withPlace)
  try {
    return await send(first)
  } catch (error) {
    if (slot.attached === first) throw error
    return await send(await slot.host(withPlace))
  }
}

const endsWork: ReadonlySet<Command['body']['kind']> = new Set(['session.stop', 'process.end'])
