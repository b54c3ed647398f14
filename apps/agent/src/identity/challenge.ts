/**
 * The first half of LINK-1: the agent requests a nonce, and the hub proves with its key that it is the pinned hub. Before
 * that proof, the agent sends nothing that another hub could use.
 */
import { randomBytes } from 'node:crypto'
import { agentRoutes, type ChallengeReply, CodedError, signedText } from '@roundhouse/backend-types'
import { fingerprintOf, isSignedBy } from '@roundhouse/keys'
import { inGroups } from './fingerprint'
import { callRoute, type PostJson } from './hub-http'

/** How the caller knows the hub: by the fingerprint a person copied, or by the key pinned at enrollment. */
export type KnownHub = { fingerprint: string } | { publicKey: string }

export async function askChallenge(
  post: PostJson,
  hubUrl: string,
  known: KnownHub,
  agentId?: string,
): Promise<ChallengeReply> {
  const agentNonce = randomBytes(24).toString('base64url')
  const body = agentId === undefined ? { agentNonce } : { agentId, agentNonce }
  const reply = await callRoute(post, hubUrl, agentRoutes.requestChallenge, body)
  requireKnownHub(reply, known, agentNonce)
  return reply
}

function requireKnownHub(reply: ChallengeReply, known: KnownHub, agentNonce: string): void {
  const found = fingerprintOf(reply.hubPublicKey)
  const expected = 'fingerprint' in known ? known.fingerprint : fingerprintOf(known.publicKey)
  if (found !== expected) {
    throw new CodedError(
      'HUB_KEY_MISMATCH',
      `The hub's key has the fingerprint\n  ${inGroups(found)}\nbut the expected fingerprint is\n  ${inGroups(expected)}\nThe agent sent nothing.`,
      { found, expected },
    )
  }
  if (!isSignedBy(reply.hubPublicKey, signedText.hubAuth(reply.hubId, agentNonce), reply.hubSignature)) {
    throw new CodedError('HUB_KEY_MISMATCH', 'The hub did not prove that it has its key. The agent sent nothing.')
  }
}
