/**
 * Chat channels: each has at most one bot, which runs while its token is stored. Nothing here keeps the hub from its work: a
 * service that does not answer is tried again, and its state is shown (CHAN-1).
 */
import { ChannelKind, CodedError, channelNames } from '@roundhouse/backend-types'
import { type BotChecker, WakeLoop } from '../core'
import { restMs, wait } from './pacing/pacing'
import { type Channel, faultOf } from './port/channel'
import type { ChatServices } from './port/chat-services'
import { type BotDeps, type RunningBot, runBot } from './run-bot'
import { askTelegram, openTelegram } from './telegram/telegram-channel'
import { isTelegramToken } from './telegram/telegram-token'

export interface ChannelsConfig {
  /** Root of Telegram's Bot API. */
  telegramApi: string
}

interface Service {
  isToken: (token: string) => boolean
  open: (token: string, known: readonly string[]) => Promise<Channel>
  ask: (token: string) => Promise<{ botId: string; name: string }>
}

/** A line for each service. */
const servicesOf = ({ telegramApi: apiRoot }: ChannelsConfig): Readonly<Record<ChannelKind, Service>> => ({
  telegram: {
    isToken: isTelegramToken,
    open: (token, known) => openTelegram({ token, apiRoot, known }),
    ask: (token) => askTelegram({ token, apiRoot }),
  },
})

export function createBotChecker(config: ChannelsConfig): BotChecker {
  const services = servicesOf(config)
  return {
    async check(kind, token) {
      const wrong = () => new CodedError('CHANNEL_TOKEN_WRONG', `${channelNames[kind]} does not know this token.`)
      if (!services[kind].isToken(token)) throw wrong()
      try {
        return await services[kind].ask(token)
      } catch (error) {
        if (faultOf(error) === 'token_refused') throw wrong()
        throw new CodedError('CHANNEL_UNREACHABLE', `${channelNames[kind]} is not responding. Nothing was changed.`)
      }
    },
  }
}

export interface ChannelsDeps extends Pick<BotDeps, 'pageOf'> {
  config: ChannelsConfig
  core: ChatServices
  log: { warn(facts: Record<string, unknown>, message: string): void }
}

export interface Channels {
  stop(): Promise<void>
}

export function startChannels({ config, core, log, pageOf }: ChannelsDeps): Channels {
  const services = servicesOf(config)
  const clocks = { now: Date.now, elapsed: () => performance.now(), wait }
  const runs = ChannelKind.options.map((kind) => {
    const onError = (error: unknown) => log.warn({ channel: kind, error: wordsOf(error) }, 'a chat channel failed')
    const deps = { ...clocks, kind, open: services[kind].open, services: core, pageOf, onError }
    return keepRunning(deps)
  })
  return {
    async stop() {
      await Promise.all(runs.map((run) => run.stop()))
    },
  }
}

/** An error of a library may name an address with the token in it. */
const wordsOf = (error: unknown) => (error instanceof CodedError || faultOf(error) ? String(error) : 'unexpected error')

/** Starts the bot that is stored, and another one when it changes. What failed is tried again after a rest, or when it changes. */
export function keepRunning(deps: BotDeps): Channels {
  const { kind, services, onError } = deps
  let [running, runs]: [RunningBot | null, string | null] = [null, null]
  let isStopped = false
  let failures = 0
  let rest = new AbortController()
  const settle = async () => {
    const bot = isStopped ? null : await services.channelGate.openBot(kind)
    const wanted = bot && JSON.stringify([bot.botId, bot.setAt, bot.token])
    if (wanted === runs) return running?.wakeAll()
    await running?.stop()
    running = null
    runs = null
    services.channelGate.tell(kind, bot ? 'starting' : 'off')
    if (!bot) return
    running = await runBot(bot, deps)
    runs = wanted
  }
  const step = async (): Promise<boolean> => {
    rest = new AbortController()
    try {
      await settle()
      failures = 0
      return false
    } catch (error) {
      if (failures === 0) onError(error)
      if (!isStopped) await deps.wait(restMs(failures), rest.signal)
      failures += 1
      return !isStopped
    }
  }
  const loop = new WakeLoop({ step, onError })
  const wake = () => {
    rest.abort()
    loop.wake()
  }
  const end = services.doorbells.on('channel', (changed) => {
    if (changed.kind === kind) wake()
  })
  loop.wake()
  return {
    async stop() {
      isStopped = true
      end()
      wake()
      await loop.idle()
      await running?.stop()
    },
  }
}
