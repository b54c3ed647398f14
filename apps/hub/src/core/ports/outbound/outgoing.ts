/** What leaves the hub: for addresses that people named, and for chat services. */
import type { BotChecker } from '../channels/bot-checker'
import type { Outbound } from './outbound'
import type { SecretKeeper } from './secret-keeper'
import type { WebhookStore } from './webhook-store'

export interface Outgoing {
  webhooks: WebhookStore
  outbound: Outbound
  secretKeeper: SecretKeeper
  bots: BotChecker
}
