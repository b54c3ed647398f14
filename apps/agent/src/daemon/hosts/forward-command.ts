/**
 * Forwards a command to its session's host, and starts a host if none runs. If a host is just leaving, the next one gets the
 * command, and finds it in the inbox if the first had written it. A live host that answers nobody is ended, and the next
 * host gets the command, if the command ends the work or if no work is going on. An interrupt ends only its turn, so it
 * waits for a host that is working.
 */
import { type Command, type CommandAnswer, commandsThatEndPrograms } from '@roundhouse/backend-types'
import type { HostClient } from '../../host-contract/client'
import type { HostedSession } from './session/hosted-session'
import { LEAVE_LIMIT_MS, late, within } from './session/leave-host'

/** Within `answerMs` an accepted command is on the disk, where the disk takes it. `idleMs`: of a host that must not be at work. */
const usualPatience = { answerMs: 10_000, idleMs: LEAVE_LIMIT_MS }

type Send = (host: HostClient) => Promise<CommandAnswer>
type Hosted = Pick<HostedSession, 'host' | 'attached' | 'stuck' | 'endSilent'>

export async function forwardCommand(
  { body }: Command,
  hosted: Hosted,
  send: Send,
  withPlace: boolean,
  { answerMs, idleMs } = usualPatience,
): Promise<CommandAnswer> {
  const ends = commandsThatEndPrograms.has(body.kind)
  const insist: Send = async (host) => {
    const answer = send(host)
    // Once it is ended nobody answers, and the next host is asked.
    const patience = ends ? answerMs : idleMs
    if ((await within(patience, answer)) === late) await hosted.endSilent(host, ends ? 'any' : 'resting')
    return answer
  }
  try {
    return await sendTo(hosted, insist, withPlace)
  } catch (error) {
    if (!ends || !hosted.stuck) throw error
    await hosted.endSilent(null)
    return sendTo(hosted, send, withPlace)
  }
}

async function sendTo(hosted: Hosted, send: Send, withPlace: boolean): Promise<CommandAnswer> {
  const first = await hosted.host(withPlace)
  try {
    return await send(first)
  } catch (error) {
    if (hosted.attached === first) throw error
    return await send(await hosted.host(withPlace))
  }
}
