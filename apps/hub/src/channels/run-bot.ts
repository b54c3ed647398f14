/** Runs the bot of one channel, as it is stored: what people say comes in, and what they are told goes out. */
import type { ChannelKind } from '@roundhouse/backend-types'
import type { ChannelBotRow } from '../core'
import { Deliveries } from './delivery/deliveries'
import { ChatListener } from './listening/chat-listener'
import { readUpdates } from './listening/read-updates'
import type { Wait } from './pacing/pacing'
import type { Channel } from './port/channel'
import type { ChatServices } from './port/chat-services'

export interface BotDeps {
  kind: ChannelKind
  /** `known`: the newest messages of chats that are known. */
  open: (token: string, known: readonly string[]) => Promise<Channel>
  services: ChatServices
  pageOf: (sessionId: string) => string
  now: () => number
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
  wait: Wait
  onError: (error: unknown) => void
}

export interface RunningBot {
  wakeAll(): Promise<void>
  stop(): Promise<void>
}

export async function runBot(bot: ChannelBotRow, deps: BotDeps): Promise<RunningBot> {
  const { kind, services } = deps
  const { channelGate } = services
  const stopped = new AbortController()
  const { signal } = stopped
  const linkIds = async () => (await channelGate.links(kind)).map(({ linkId }) => linkId)
  const known = (await channelGate.links(kind)).flatMap(({ lastMessage }) => lastMessage ?? [])
  const channel = await deps.open(bot.token, known)
  const deliveries = new Deliveries({ ...deps, channel })
  const wakeAll = async () => deliveries.wakeAll(await linkIds())
  const { botId, nextUpdate } = bot
  const wake = (linkId: string) => deliveries.wake(linkId)
  const listener = new ChatListener({ ...deps, bot: { kind, botId }, channel, wake, signal })
  const reading = readUpdates({
    ...deps,
    channel,
    signal,
    from: nextUpdate,
    handle: (update) => listener.handle(update),
    skip: (update) => listener.skip(update),
    tell: (state) => channelGate.tell(kind, state),
    onReturn: () => void wakeAll().catch(deps.onError),
  })
  const stop = async () => {
    stopped.abort()
    await Promise.all([reading, deliveries.stop()])
  }
  try {
    await wakeAll()
  } catch (error) {
    // Nobody else can stop the poller, and a second one on the same token is refused.
    await stop()
    throw error
  }
  return { wakeAll, stop }
}
