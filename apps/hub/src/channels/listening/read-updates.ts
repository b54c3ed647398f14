/**
 * Fetches the updates of one bot and has them handled, one after the other. The service keeps what was not handled, so nothing is
 * lost while either side is away (CHAN-4).
 */
import { type ChannelState, CodedError } from '@roundhouse/backend-types'
import { restMs, type Wait } from '../pacing/pacing'
import { type Channel, ChannelError, type ChannelUpdate, faultOf } from '../port/channel'

export interface ReadUpdates {
  channel: Pick<Channel, 'updates'>
  from: number
  handle: (update: ChannelUpdate) => Promise<void>
  /** After it failed several times for a reason that does not pass. */
  skip: (update: ChannelUpdate) => Promise<void>
  tell: (state: ChannelState) => void
  /** The service answers again. */
  onReturn: () => void
  onError: (error: unknown) => void
  wait: Wait
  signal: AbortSignal
}

const TRIES = 3

export async function readUpdates(deps: ReadUpdates): Promise<void> {
  const { channel, signal, tell, wait } = deps
  let [from, failures, isHere] = [deps.from, 0, false]
  while (!signal.aborted) {
    try {
      const updates = await channel.updates(from, { waits: isHere }, signal)
      tell('connected')
      if (!isHere) deps.onReturn()
      isHere = true
      failures = 0
      for (const update of updates) {
        if (!(await handled(deps, update))) return
        from = update.id + 1
      }
    } catch (error) {
      if (signal.aborted) return
      isHere = false
      tell(stateOf(error))
      if (faultOf(error) === null) deps.onError(error)
      const asked = error instanceof ChannelError ? error.retryAfterMs : 0
      await wait(Math.max(restMs(failures), asked), signal)
      failures += 1
    }
  }
}

/** False: the bot was stopped meanwhile. */
async function handled({ handle, skip, wait, signal, onError }: ReadUpdates, update: ChannelUpdate): Promise<boolean> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      await (failures < TRIES ? handle(update) : skip(update))
      return true
    } catch (error) {
      if (signal.aborted) return false
      onError(error)
      // A full disk passes.
      if (!(error instanceof CodedError && error.code === 'STORAGE_UNAVAILABLE')) failures += 1
      await wait(restMs(failures), signal)
    }
  }
  return false
}

function stateOf(error: unknown): ChannelState {
  const fault = faultOf(error)
  return fault === 'token_refused' || fault === 'taken' ? fault : 'unreachable'
}
