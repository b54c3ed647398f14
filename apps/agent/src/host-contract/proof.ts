/** Proves that one end of a connection knows a secret, without sending it. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export type End = 'host' | 'daemon' | 'program'

export const newNonce = (): string => randomBytes(16).toString('hex')

/** Both nonces: that of the caller first. */
export function proofOf(secret: string, end: End, nonces: readonly [string, string]): string {
  return hmac(secret, `${end}-proof-v1|${nonces.join('|')}`)
}

export function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')
