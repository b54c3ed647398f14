/**
 * Enrollment (JOIN-1, JOIN-2): the hub proves its key, then the agent sends the one-use token and its new public key. The
 * token comes from standard input or a file, never from argv. If the hub is not the expected one, the token is not sent.
 */
import { agentRoutes, CodedError, signedText } from '@roundhouse/backend-types'
import { makeKeyPair, readPrivateKey, signText } from '@roundhouse/keys'
import { askChallenge } from './challenge'
import { callRoute, type PostJson } from './hub-http'
import type { Identity } from './identity-file'

export interface EnrollOptions {
  hubUrl: string
  fingerprint: string
  token: string
  name: string
  platform: string
}

export async function enroll(post: PostJson, options: EnrollOptions): Promise<{ identity: Identity; state: string }> {
  const token = options.token.trim()
  if (token.length < 20 || token.length > 200 || /\s/.test(token)) {
    throw new CodedError('ENROLLMENT_INVALID', 'That is not an enrollment token. Copy the whole token from the hub.')
  }
  const challenge = await askChallenge(post, options.hubUrl, { fingerprint: options.fingerprint })
  const keys = makeKeyPair()
  const said = signedText.enroll(challenge.hubId, challenge.nonce, keys.publicKey)
  const reply = await callRoute(post, options.hubUrl, agentRoutes.enrollAgent, {
    token,
    nonce: challenge.nonce,
    publicKey: keys.publicKey,
    signature: signText(readPrivateKey(keys.privateKey), said),
    name: options.name,
    platform: options.platform,
  })
  if (reply.hubPublicKey !== challenge.hubPublicKey || reply.hubId !== challenge.hubId) {
    throw new CodedError('HUB_KEY_MISMATCH', 'The hub changed its key during the enrollment.')
  }
  return {
    identity: {
      version: 1,
      agentId: reply.agentId,
      name: reply.name,
      hubUrl: options.hubUrl,
      hubId: reply.hubId,
      hubPublicKey: reply.hubPublicKey,
      ...keys,
      keyMadeAt: Date.now(),
    },
    state: reply.state,
  }
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** The hub's origin, as both ends sign it. Plain http only to this very machine, unless the owner insists. */
export function readHubUrl(text: string, allowPlainHttp: boolean): string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new CodedError('INVALID_ARGUMENT', `${text} is not a valid address. Example: https://hub.example.org`)
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new CodedError('INVALID_ARGUMENT', `The address must begin with https:// (${text})`)
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && !allowPlainHttp) {
    throw new CodedError(
      'INVALID_ARGUMENT',
      `${url.origin} is not encrypted: others on the network could read everything in your sessions. Use https, or add --plain-http if the network is your own.`,
    )
  }
  return url.origin
}
