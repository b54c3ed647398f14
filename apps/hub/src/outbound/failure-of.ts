/** What went wrong, in a word that people can act on. Errors of other people's servers say nothing else to anybody. */
import type { OutboundOutcome } from '../core'
import { AddressRefused, NameUnknown } from './guarded-connector'

type Failure = Extract<OutboundOutcome, { kind: 'failed' }>['failure']

const late: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_ABORTED',
  'ETIMEDOUT',
])
const closed: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED'])
const connects: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
])

/** Null: a fault of the hub, which must not pass for one of the receiver. */
export function failureOf(thrown: unknown): Failure | null {
  let isOfNetwork = false
  for (const error of causesOf(thrown)) {
    if (error instanceof AddressRefused) return 'address'
    if (error instanceof NameUnknown) return 'name'
    if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout'
    const code = codeOf(error)
    if (code !== '' || error.name === 'HTTPParserError') isOfNetwork = true
    if (late.has(code)) return 'timeout'
    if (closed.has(code)) return 'closed'
    if (connects.has(code)) return 'connect'
    if (isOfTls(code)) return 'tls'
  }
  return isOfNetwork ? 'closed' : null
}

const isOfTls = (code: string) =>
  code === 'EPROTO' || /^(ERR_(TLS|SSL)_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/.test(code)

const codeOf = (error: Error): string => String((error as { code?: unknown }).code ?? '')

/** The error, what it stands for, and what caused it: a name with several addresses fails as a group. */
function* causesOf(thrown: unknown, depth = 0): Generator<Error> {
  if (!(thrown instanceof Error) || depth > 5) return
  yield thrown
  if (thrown instanceof AggregateError) for (const one of thrown.errors) yield* causesOf(one, depth + 1)
  yield* causesOf(thrown.cause, depth + 1)
}
