/**
 * Connects to a host that may still be starting: retries until it answers, ends, or the time is over. Messages that arrive
 * in one piece with the host's hello are kept for the caller (`Early`).
 */
import {
  CodedError,
  type CommandAnswer,
  type HostState,
  isLack,
  type LiveFrame,
  outOfResources,
} from '@roundhouse/backend-types'
import { connectHost, type HostClient, type HostHandlers } from '../../../host-contract/client'
import type { HostDoor } from '../../../host-contract/host-door'
import type { LaunchedHost } from '../../../host-contract/launch'
import { START_LIMIT_MS } from '../../../host-contract/launch-spec'
import { untilReady } from '../../../host-contract/until-ready'
import { meaningOfExit } from './host-exits'

/** The host's messages after its hello. */
export interface HostListener {
  head(client: HostClient, head: number): void
  state(state: HostState): void
  live(frames: LiveFrame[]): void
  news(commandId: string, answer: CommandAnswer): void
  /** Part of a message is invalid; logged once until it changes. The host keeps running. */
  unreadable(problem: string): void
  /** `clean`: it said good-bye. */
  gone(client: HostClient, clean: boolean): void
}

export interface Reached {
  client: HostClient
  early: { head: number; state: HostState | null; closed: boolean }
}

/**
 * `host`: the process that was just launched; its end is the end of trying. Throws `INTERNAL` where nobody answers,
 * `HeldByAnother` where another host did, and `OUT_OF_RESOURCES` where the machine had no room for it, or for the way to it.
 */
export async function reachHost(
  sessionId: string,
  door: HostDoor,
  listener: HostListener,
  host?: LaunchedHost,
): Promise<Reached> {
  const patience = { limitMs: START_LIMIT_MS, exited: host?.exited }
  try {
    return await untilReady(() => connect(door, listener), patience)
  } catch (cause) {
    // Where it has ended, that is known by now.
    const end = await Promise.race([host?.exited, null])
    const meaning = meaningOfExit(sessionId, end?.code, cause)
    if (meaning) throw meaning
    if (isLack(cause)) throw outOfResources(cause)
    // It had nothing to do before anybody had reached it.
    if (end?.code === 0) throw new CodedError('REQUEST_GONE', 'The session host is gone.', undefined, cause)
    const message = `The session host of ${sessionId} did not start; see host.log.`
    throw new CodedError('INTERNAL', message, undefined, cause)
  }
}

async function connect(door: HostDoor, listener: HostListener): Promise<Reached> {
  const early: Reached['early'] = { head: 0, state: null, closed: false }
  let client: HostClient | null = null
  let unreadable = ''
  const handlers: HostHandlers = {
    head: (head) => {
      if (client) listener.head(client, head)
      else early.head = head
    },
    state: (state) => {
      if (client) listener.state(state)
      else early.state = state
    },
    live: (frames) => listener.live(frames),
    news: (commandId, answer) => listener.news(commandId, answer),
    unreadable: (problem) => {
      if (problem !== unreadable) listener.unreadable(problem)
      unreadable = problem
    },
    closed: (bye) => {
      early.closed = true
      if (client) listener.gone(client, bye !== null)
    },
  }
  client = await connectHost(door, handlers)
  return { client, early }
}
