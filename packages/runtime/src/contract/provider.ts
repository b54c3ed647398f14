/**
 * The contract of a provider. Errors are `CodedError`s with the five codes of `errors.ts`; `INVALID_ARGUMENT` is a `Spec` that cannot
 * be read.
 */
import type { Capabilities } from '@roundhouse/backend-types'
import type { Event } from './event'
import type { ProviderName } from './provider-name'
import type { Spec } from './spec'

export interface Provider {
  /** Never changes. */
  name(): ProviderName
  /** Never change. */
  capabilities(): Capabilities
  /** Resolves when the session is there. `signal` ends the session. */
  spawn(spec: Spec, signal?: AbortSignal): Promise<Handle>
  /** `sessionId`: what an `InitEvent` named. `UNSUPPORTED` without `supportsSessionResume`. */
  resume(sessionId: string, spec: Spec, signal?: AbortSignal): Promise<Handle>
  /** Ends all sessions. The provider starts none after it. `signal` ends the waiting, not the work. */
  shutdown(signal?: AbortSignal): Promise<void>
}

/** One running session. */
export interface Handle {
  /** The provider's own id of the session. */
  sessionId(): string
  /** One init, one terminal event, then closed. Every caller takes from the same events. */
  events(): AsyncIterableIterator<Event>
  /**
   * A further message of the person: into the running turn where the program takes it, otherwise as the next turn.
   * `UNSUPPORTED` without `supportsMessageInjection`, `SESSION_NOT_FOUND` after the end.
   */
  inject(text: string, signal?: AbortSignal): Promise<void>
  /** Ends the session; may be repeated. `signal` ends the waiting, not the work. */
  stop(signal?: AbortSignal): Promise<void>
}
