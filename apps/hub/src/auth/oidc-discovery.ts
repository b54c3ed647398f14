/**
 * The endpoints of the identity provider, from its own discovery document. The hub fetches the document at a sign-in and
 * keeps it for an hour, so that a hub starts without its provider and notices a change. It accepts only `https` or this
 * machine, follows no redirect, and the document must name the configured issuer.
 *
 * It contacts only addresses that the hub's operator configured. Those that people name are the affair of the room `outbound`.
 */
import { CodedError } from '@roundhouse/backend-types'
import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'

const KEPT_MS = 3_600_000
const TIMEOUT_MS = 10_000

const Document = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(['client_secret_basic']),
})

export interface OidcDoors {
  authorization: string
  token: string
  keys: JWTVerifyGetKey
  /** How the client shows its secret. */
  authentication: 'basic' | 'post'
}

/** Throws `IDENTITY_PROVIDER_UNAVAILABLE`; its cause says why, for the log. */
export type Discover = () => Promise<OidcDoors>

export interface DiscoveryOptions {
  issuer: string
  isSafeUrl: (address: string) => boolean
  now?: () => number
}

export function createDiscovery({ issuer, isSafeUrl, now = () => performance.now() }: DiscoveryOptions): Discover {
  let kept: { at: number; doors: OidcDoors } | null = null
  return async () => {
    if (kept && now() - kept.at < KEPT_MS) return kept.doors
    try {
      const document = await read(issuer)
      kept = { at: now(), doors: doorsOf(document, issuer, isSafeUrl) }
      return kept.doors
    } catch (cause) {
      throw new CodedError('IDENTITY_PROVIDER_UNAVAILABLE', undefined, undefined, cause)
    }
  }
}

async function read(issuer: string): Promise<z.output<typeof Document>> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`)
  return Document.parse(await answer.json())
}

function doorsOf(
  document: z.output<typeof Document>,
  issuer: string,
  isSafeUrl: DiscoveryOptions['isSafeUrl'],
): OidcDoors {
  const { authorization_endpoint: authorization, token_endpoint: token, jwks_uri: keys } = document
  if (document.issuer !== issuer) throw new Error(`the provider calls itself ${document.issuer}, not ${issuer}`)
  const unsafe = [authorization, token, keys].find((address) => !isSafeUrl(address))
  if (unsafe !== undefined) throw new Error(`the provider names an address that is not https: ${unsafe}`)
  const methods = document.token_endpoint_auth_methods_supported
  const isPost = methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
  return {
    authorization,
    token,
    keys: createRemoteJWKSet(new URL(keys), { timeoutDuration: TIMEOUT_MS }),
    authentication: isPost ? 'post' : 'basic',
  }
}
