/**
 * Sign-in by an identity provider (OpenID Connect), as a provider of better-auth's own routes: authorization code with PKCE,
 * a state bound to the key of the browser that started, and an ID token that must be signed, ours, current, and contain our
 * nonce.
 *
 * A person is the provider's issuer and `sub`. The provider's e-mail address and name never reach the library, so they
 * cannot match an account, and no account is created. For why this is not the library's generic plugin, see
 * docs/decisions/the-identity-provider-asks-for-factors.md.
 */
import { createAuthEndpoint } from '@better-auth/core/api'
import {
  createAuthorizationURL,
  type OAuth2Tokens,
  type OAuthProvider,
  validateAuthorizationCode,
} from '@better-auth/core/oauth2'
import { APIError } from 'better-auth/api'
import { generateIdTokenNonce, generateState, getOAuthCallbackPath } from 'better-auth/oauth2'
import { type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import type { Discover } from './oidc-discovery'

/** Of the provider in better-auth, and so the last part of the callback's path. */
export const OIDC = 'oidc'

/** Signatures by a private key. Never a shared secret, never none. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const CLOCK_TOLERANCE_S = 30

/** Whom the way back links. */
const Linked = z.object({ userId: z.string(), email: z.string() })

export interface OidcOptions {
  issuer: string
  clientId: string
  clientSecret?: string
  label: string
  discover: Discover
  /** Why an answer of the provider was not believed, for the operator. */
  onRefused: (why: string) => void
}

export function createOidcProvider(options: OidcOptions): OAuthProvider<JWTPayload> {
  const { issuer, clientId, label, discover } = options
  return {
    id: OIDC,
    name: label,
    issuer,
    requiresIdTokenNonce: true,
    disableSignUp: true,
    options: { disableSignUp: true, disableIdTokenSignIn: true },
    accountSubject: ({ profile }) => `${profile.iss} ${profile.sub}`,
    async createAuthorizationURL({ state, codeVerifier, redirectURI, idTokenNonce }) {
      const { authorization } = await discover()
      const asked = { scopes: ['openid'], ...(idTokenNonce === undefined ? {} : { nonce: idTokenNonce }) }
      const client = { id: OIDC, options: { clientId }, authorizationEndpoint: authorization }
      return createAuthorizationURL({ ...client, ...asked, state, codeVerifier, redirectURI })
    },
    async validateAuthorizationCode({ code, codeVerifier = '', redirectURI }) {
      return { idToken: await idTokenFor(options, { code, codeVerifier, redirectURI }) }
    },
    async getUserInfo({ idToken, expectedIdTokenNonce }) {
      try {
        const profile = await verify(options, idToken, expectedIdTokenNonce)
        return { user: { ...nobodysAddress(profile), emailVerified: false }, data: profile }
      } catch (error) {
        options.onRefused(error instanceof Error ? error.message : String(error))
        return null
      }
    },
  }
}

/** The library requires an e-mail address. This one belongs to nobody, and cannot. */
const nobodysAddress = ({ sub }: JWTPayload) => ({ name: '', email: `${encodeURIComponent(sub ?? '')}@oidc.invalid` })

/** Only the ID token of the provider is used: nothing is requested from the provider later. */
async function idTokenFor(
  { clientId, clientSecret, discover, onRefused }: OidcOptions,
  grant: { code: string; codeVerifier: string; redirectURI: string },
): Promise<string | undefined> {
  const { token, authentication } = await discover()
  const secret = clientSecret === undefined ? {} : { clientSecret }
  const shown = clientSecret === undefined ? {} : { authentication }
  try {
    const given = { ...grant, options: { clientId, ...secret }, tokenEndpoint: token, ...shown }
    const { idToken }: OAuth2Tokens = await validateAuthorizationCode(given)
    return idToken
  } catch (error) {
    onRefused('the provider did not take the code')
    throw error
  }
}

async function verify(
  { issuer, clientId, discover }: OidcOptions,
  idToken: string | undefined,
  nonce: string | undefined,
): Promise<JWTPayload> {
  if (!idToken || !nonce) throw new Error('no id token, or no nonce to judge it by')
  const { keys } = await discover()
  const { payload } = await jwtVerify(idToken, keys, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
    clockTolerance: CLOCK_TOLERANCE_S,
  })
  if (payload.nonce !== nonce) throw new Error('the id token was made for another sign-in')
  if (payload.azp !== undefined && payload.azp !== clientId) throw new Error('the id token was made for another client')
  if (typeof payload.sub !== 'string' || payload.sub === '') throw new Error('the id token names nobody')
  return payload
}

/** The way out, for a sign-in or for a link to somebody. Asked by the hub's own routes alone: the endpoint has no path. */
const beginAtProvider = createAuthEndpoint.serverOnly(
  {
    method: 'POST',
    body: z.object({ callbackURL: z.string(), errorCallbackURL: z.string(), link: Linked.optional() }),
  },
  async (ctx) => {
    const provider = ctx.context.socialProviders.find(({ id }) => id === OIDC)
    if (!provider) throw new APIError('NOT_FOUND')
    const idTokenNonce = generateIdTokenNonce(provider)
    const { state, codeVerifier } = await generateState(ctx, { idTokenNonce, link: ctx.body.link })
    const redirectURI = `${ctx.context.baseURL}${getOAuthCallbackPath(provider)}`
    const url = await provider.createAuthorizationURL({ state, codeVerifier, idTokenNonce, redirectURI })
    return ctx.json({ url: url.toString() })
  },
)

export const oidcPlugin = (provider: OAuthProvider<JWTPayload> | undefined) => ({
  id: OIDC,
  endpoints: { beginAtProvider },
  init: () => (provider ? { context: { socialProviders: [provider] } } : undefined),
})
