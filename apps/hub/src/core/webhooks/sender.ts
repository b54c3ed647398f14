/** One attempt: signs, sends, and takes the time. */
import { failpoint } from '@roundhouse/failpoint'
import type { Outbound, OutboundOutcome } from '../ports/outbound/outbound'
import type { SecretKeeper } from '../ports/outbound/secret-keeper'
import type { WebhookRow } from '../ports/outbound/webhook-store'
import { signedHeaders } from './signature'

export interface SenderDeps {
  outbound: Outbound
  secretKeeper: SecretKeeper
  now: () => number
  elapsed: () => number
}

export interface Sent {
  outcome: OutboundOutcome
  at: number
  tookMs: number
}

const headers = { 'content-type': 'application/json', 'user-agent': 'Roundhouse-Webhooks' }

/** Null: the hub lost the key of its secrets, so it cannot sign. */
export async function send(
  { outbound, secretKeeper, now, elapsed }: SenderDeps,
  hook: WebhookRow,
  { id, body }: { id: string; body: string },
  signal: AbortSignal,
): Promise<Sent | null> {
  const at = now()
  const secrets = await opened(secretKeeper, hook, at)
  if (!secrets) return null
  failpoint('hub.webhook.beforeSend')
  const began = elapsed()
  const signed = signedHeaders({ id, timestamp: Math.floor(at / 1_000), body }, secrets)
  const outcome = await outbound.post({ url: hook.url, headers: { ...headers, ...signed }, body }, signal)
  failpoint('hub.webhook.afterSend.beforeRecord')
  return { outcome, at, tookMs: Math.max(0, elapsed() - began) }
}

/** The newest first. An older one that cannot be opened is no reason to sign with none. */
async function opened(keeper: SecretKeeper, hook: WebhookRow, now: number): Promise<string[] | null> {
  const { secret, oldSecret, oldSecretUntil } = hook
  try {
    const newest = await keeper.open(secret)
    if (oldSecret === null || oldSecretUntil === null || oldSecretUntil <= now) return [newest]
    const older = await keeper.open(oldSecret).catch(() => null)
    return older === null ? [newest] : [newest, older]
  } catch {
    return null
  }
}
