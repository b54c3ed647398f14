/** The five errors of the contract, as codes of the one error table. What caused one is its `cause`. */
import { CodedError, type ErrorCode } from '@roundhouse/backend-types'
import type { Provider } from './provider'
import type { ProviderName } from './provider-name'

export const providerErrors = {
  /** It was asked for what its capabilities do not have. */
  unsupported: 'UNSUPPORTED',
  /** Nobody has this name. */
  noProvider: 'NO_PROVIDER',
  /** The id is unknown, or its session is over. */
  sessionNotFound: 'SESSION_NOT_FOUND',
  /** This session could not be started. */
  spawnFailed: 'SPAWN_FAILED',
  /** The program is missing or does not answer: no session can be started. */
  providerUnavailable: 'PROVIDER_UNAVAILABLE',
} as const satisfies Record<string, ErrorCode>

/** Also where it is what the error was caused by. */
export function isProviderError(error: unknown, code: (typeof providerErrors)[keyof typeof providerErrors]): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof CodedError && cause.code === code) return true
  }
  return false
}

export function findProvider(providers: Iterable<Provider>, name: ProviderName): Provider {
  for (const provider of providers) if (provider.name() === name) return provider
  throw new CodedError('NO_PROVIDER', `There is no provider ${name}.`, { name })
}
