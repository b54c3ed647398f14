/** The one identity provider by which people may sign in (OpenID Connect), read from the environment. Unset: none. */
import { readFileSync } from 'node:fs'
import { CodedError, firstFault } from '@roundhouse/backend-types'
import { z } from 'zod'

const text = z.string().trim().min(1).max(1_000).optional()
const Environment = z.object({
  ROUNDHOUSE_OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
  ROUNDHOUSE_OIDC_CLIENT_ID: text,
  ROUNDHOUSE_OIDC_CLIENT_SECRET: text,
  ROUNDHOUSE_OIDC_CLIENT_SECRET_FILE: text,
  ROUNDHOUSE_OIDC_LABEL: z.string().trim().min(1).max(40).default('single sign-on'),
})

export interface OidcConfig {
  /** Exactly as the provider calls itself in its tokens. */
  issuer: string
  clientId: string
  /** Absent: a public client, kept by PKCE alone. */
  clientSecret?: string
  /** After "Sign in with". */
  label: string
}

/** Throws `INVALID_ARGUMENT` with the variable's name. */
export function readOidcConfig(env: NodeJS.ProcessEnv): OidcConfig | null {
  const parsed = Environment.safeParse(withoutBlanks(env))
  if (!parsed.success) {
    throw invalid(firstFault(parsed.error, 'configuration').text)
  }
  const { ROUNDHOUSE_OIDC_ISSUER: issuer, ROUNDHOUSE_OIDC_CLIENT_ID: clientId, ...rest } = parsed.data
  const clientSecret = secretOf(rest.ROUNDHOUSE_OIDC_CLIENT_SECRET, rest.ROUNDHOUSE_OIDC_CLIENT_SECRET_FILE)
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) return null
  if (issuer === undefined) throw invalid('ROUNDHOUSE_OIDC_ISSUER is missing.')
  if (clientId === undefined) throw invalid('ROUNDHOUSE_OIDC_CLIENT_ID is missing.')
  if (!isSafeUrl(issuer)) throw invalid('ROUNDHOUSE_OIDC_ISSUER: an https address, unless it is on this machine.')
  const label = rest.ROUNDHOUSE_OIDC_LABEL
  return { issuer, clientId, label, ...(clientSecret === undefined ? {} : { clientSecret }) }
}

/** `https`, or on this machine. Nothing else carries codes and keys. */
export function isSafeUrl(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  if (protocol === 'https:') return true
  return protocol === 'http:' && (/^127(\.\d+){3}$/.test(hostname) || ['localhost', '[::1]'].includes(hostname))
}

function secretOf(secret: string | undefined, file: string | undefined): string | undefined {
  if (file === undefined) return secret
  if (secret !== undefined) throw invalid('ROUNDHOUSE_OIDC_CLIENT_SECRET and its _FILE are both set.')
  try {
    const read = readFileSync(file, 'utf8').trim()
    if (read !== '') return read
  } catch (cause) {
    throw invalid('ROUNDHOUSE_OIDC_CLIENT_SECRET_FILE cannot be read.', cause)
  }
  throw invalid('ROUNDHOUSE_OIDC_CLIENT_SECRET_FILE is empty.')
}

/** A variable that is set to nothing is not set: so do compose files leave one out. */
const withoutBlanks = (env: NodeJS.ProcessEnv) => Object.fromEntries(Object.entries(env).filter(([, value]) => value))

const invalid = (message: string, cause?: unknown) => new CodedError('INVALID_ARGUMENT', message, undefined, cause)
