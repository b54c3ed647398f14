/** Signs as Standard Webhooks 1.0 says: HMAC-SHA256 over id, time and body, with a secret of the webhook alone. Pure but for chance. */
import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const BYTES = 32

export const newSigningSecret = (): string => `${PREFIX}${randomBytes(BYTES).toString('base64')}`

export interface Signed {
  /** Without a dot. */
  id: string
  /** Seconds since the Unix epoch, of this attempt. */
  timestamp: number
  body: string
}

/** One signature for each secret: a receiver accepts the message if one of them fits. */
export function signedHeaders({ id, timestamp, body }: Signed, secrets: readonly string[]): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => signature(secret, `${id}.${timestamp}.${body}`)).join(' '),
  }
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}
