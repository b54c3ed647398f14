/** The only way in which the hub sends something to an address that a person named. */
import type { DeliveryFailure } from '@roundhouse/backend-types'

export interface OutboundRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** `retryAfterMs`: as the answer said. */
export type OutboundOutcome =
  | { kind: 'answered'; status: number; retryAfterMs: number | null }
  | { kind: 'failed'; failure: Exclude<DeliveryFailure, 'answer' | 'redirect'> }

export type AddressRefusal = 'invalid' | 'scheme' | 'credentials' | 'port' | 'address'

export interface Outbound {
  /** What can be said of an address without asking anybody for it; null: nothing is against it. */
  refusal(url: string): AddressRefusal | null
  /**
   * One POST. Follows no redirect, and judges every address that the name has at the moment of the connection. Throws
   * for a fault of the hub alone.
   * `signal` gives it up.
   */
  post(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundOutcome>
}
