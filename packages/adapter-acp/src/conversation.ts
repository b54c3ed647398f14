/**
 * An open conversation. It turns the calls of the contract into requests to the program, and carries out the effects of the
 * translator in order. It does not know the process.
 */
import type { Relay } from '@roundhouse/adapter-kit'
import type { Json } from '@roundhouse/adapter-kit/read'
import {
  type BackendConfiguration,
  type BackendImage,
  CodedError,
  type PermissionDecision,
  type SlashCommand,
} from '@roundhouse/backend-types'
import type { Profile, Saying } from './profiles/profile'
import { knowsMode } from './program/launch'
import type { Effect } from './translate/effects'
import type { Translator } from './translate/translate'
import { sentenceOf } from './translate/turn'
import type { Connection } from './wire/connection'

export interface ConversationPlace {
  sessionId: string
  profile: Profile
  connection: Connection
  relay: Relay
  translator: Translator
  /** Goes in front of the first prompt. */
  preface: string | undefined
  acceptsImages: boolean
}

export class Conversation {
  private preface: string | undefined
  private begunAt = 0
  /** As the program told them last. */
  commands: readonly SlashCommand[] = []

  constructor(private readonly place: ConversationPlace) {
    this.preface = place.preface
  }

  get sessionId(): string {
    return this.place.sessionId
  }

  translated(translate: (translator: Translator) => Effect[]): void {
    for (const effect of translate(this.place.translator)) this.apply(effect)
  }

  send(text: string, images: readonly BackendImage[] = []): void {
    const { sessionId, connection, translator, acceptsImages } = this.place
    if (images.length > 0 && !acceptsImages) throw new CodedError('UNSUPPORTED', 'This program takes no images.')
    const prompt = [...textOf(this.preface), ...images.map(imageOf), ...textOf(text)]
    this.preface = undefined
    this.begunAt = performance.now()
    translator.turn.begin()
    connection.call('session/prompt', { sessionId, prompt }, (outcome) => {
      // A program that is gone ends its turn by its exit.
      if (outcome.ok || !(outcome.error instanceof CodedError)) this.translated((t) => t.turnEnded(outcome))
    })
  }

  async interrupt(): Promise<void> {
    if (await this.cancel()) this.translated((t) => t.withdrawAsks())
  }

  async decide(decision: PermissionDecision): Promise<void> {
    const { callId } = decision
    const ask = this.place.translator.askFor(callId)
    if (!ask) throw new CodedError('REQUEST_GONE')
    if (decision.updatedInput !== undefined) {
      throw new CodedError('UNSUPPORTED', 'This program runs what it asked about, or nothing.', { callId })
    }
    const aborts = decision.decision === 'abort' && decision.unanswered !== true
    // The program must know that the turn is over before it learns that this call does not run.
    if (aborts) await this.cancel()
    if (this.place.translator.askFor(callId) !== ask) throw new CodedError('REQUEST_GONE')
    this.translated((t) => t.decided(ask, decision))
    if (aborts) this.translated((t) => t.withdrawAsks())
  }

  /** Resolves to the fields that need a restart. */
  async configure(change: BackendConfiguration): Promise<Array<keyof BackendConfiguration>> {
    const { profile } = this.place
    if (!knowsMode(profile, change.mode)) {
      throw new CodedError('UNSUPPORTED', `The program has no mode "${change.mode}" in which it asks.`, {
        field: 'mode',
      })
    }
    const needRestart: Array<keyof BackendConfiguration> = []
    for (const [field, value] of Object.entries(change) as Array<[keyof BackendConfiguration, string | undefined]>) {
      const saying = field === 'model' || field === 'mode' ? profile.says[field] : undefined
      if (value === undefined) continue
      if (saying) await this.say(saying, field, value)
      else needRestart.push(field)
    }
    return needRestart
  }

  async say(saying: Saying, field: string, value: string): Promise<void> {
    const { sessionId, connection } = this.place
    const [method, params] =
      saying.by === 'config_option'
        ? ['session/set_config_option', { sessionId, configId: saying.id, value }]
        : [saying.method, { sessionId, [saying.param]: value }]
    await connection.request(method, params).catch((error: unknown) => {
      if (error instanceof CodedError) throw error
      const why = error instanceof Error ? sentenceOf(error) : String(error)
      const code = field === 'model' ? 'MODEL_UNAVAILABLE' : 'UNSUPPORTED'
      throw new CodedError(code, `The program takes no ${field} "${value}": ${why}`, { field, [field]: value }, error)
    })
  }

  /** False: there is no turn. */
  private async cancel(): Promise<boolean> {
    const { sessionId, connection, translator } = this.place
    if (!translator.turn.cancel()) return false
    await connection.notify('session/cancel', { sessionId })
    return true
  }

  private apply(effect: Effect): void {
    const { connection, relay } = this.place
    switch (effect.type) {
      case 'answer':
        connection.reply(effect.id, { outcome: effect.outcome })
        break
      case 'turn_completed':
        relay.report({ ...effect, info: { ...effect.info, duration: Math.round(performance.now() - this.begunAt) } })
        break
      case 'commands':
        this.commands = effect.commands
        relay.report(effect)
        break
      default:
        relay.report(effect)
    }
  }
}

const textOf = (text: string | undefined): Json[] => (text === undefined || text === '' ? [] : [{ type: 'text', text }])
/** Images stand before the text that speaks of them. */
const imageOf = ({ mediaType: mimeType, data }: BackendImage): Json => ({ type: 'image', mimeType, data })
