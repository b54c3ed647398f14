/** Machines and their enrollment: bodies of REST, and the texts that both ends sign. */
import { z } from 'zod'
import { AgentManifestPayload } from '../adapter/manifest'
import { Id, Millis } from '../common/ids'
import { OneUseState } from '../common/one-use'
import { shownName } from '../common/shown-name'
import { DiskTrouble } from './disk-trouble'

export const AgentState = z.enum(['pending', 'active', 'disabled', 'revoked'])
export type AgentState = z.infer<typeof AgentState>

export const AgentView = z.object({
  agentId: Id,
  name: z.string(),
  state: AgentState,
  online: z.boolean(),
  lastSeenAt: Millis.nullable(),
  createdAt: Millis,
  keyFingerprint: z.string(),
  software: z.string().optional(),
  platform: z.string().optional(),
  roots: z.array(z.string()),
  maxSandbox: z.string().optional(),
  /** Its owner has paused it there: it refuses whatever is asked. */
  pausedAt: Millis.optional(),
  /** A copy of it, or a disk that was put back, has shown its key: nothing with that key comes in (JOIN-4). */
  clonedAt: Millis.optional(),
  /** CLOCK_SKEW: so far is its clock ahead of the hub's, where that is more than 30 s. */
  clockSkewMs: z.number().int().optional(),
  /** Its disk takes no writes: it refuses new work until it does (FLOW-4). */
  disk: DiskTrouble.optional(),
  manifest: AgentManifestPayload.nullable(),
  activeSessions: z.number().int().min(0),
})
export type AgentView = z.infer<typeof AgentView>

export const EnrollmentTokenRequest = z.object({
  name: shownName(100).optional(),
  ttlMinutes: z.number().int().min(1).max(1440).optional(),
  /** The machine waits for a person, whatever the hub asks of others. */
  requireApproval: z.boolean().optional(),
})
export type EnrollmentTokenRequest = z.infer<typeof EnrollmentTokenRequest>

/** `token` is shown this once. `command` is what a person copies; it reads the token from standard input. */
export const EnrollmentTokenMade = z.object({
  tokenId: Id,
  token: z.string(),
  expiresAt: Millis,
  hubUrl: z.string(),
  hubKeyFingerprint: z.string(),
  command: z.string(),
})
export type EnrollmentTokenMade = z.infer<typeof EnrollmentTokenMade>

export const EnrollmentTokenView = z.object({
  tokenId: Id,
  state: OneUseState,
  createdAt: Millis,
  expiresAt: Millis,
  usedBy: Id.nullable(),
})
export type EnrollmentTokenView = z.infer<typeof EnrollmentTokenView>

export const EnrollmentTokensList = z.object({ items: z.array(EnrollmentTokenView) })

/** Keys and signatures are base64url, here and below; a public key is the raw 32 bytes of Ed25519. */
export const ChallengeRequest = z.object({ agentId: Id.optional(), agentNonce: z.string().min(16).max(128) })
export type ChallengeRequest = z.infer<typeof ChallengeRequest>

/** `hubSignature` is over `hub-auth-v1|<hubId>|<agentNonce>` by the hub's key. */
export const ChallengeReply = z.object({
  hubId: z.string(),
  hubPublicKey: z.string(),
  nonce: z.string(),
  hubSignature: z.string(),
})
export type ChallengeReply = z.infer<typeof ChallengeReply>

/** `signature` is over `agent-enroll-v1|<hubId>|<nonce>|<publicKey>` by the new agent key. */
export const EnrollRequest = z.object({
  token: z.string().min(20).max(200),
  nonce: z.string().max(128),
  publicKey: z.string().max(64),
  signature: z.string().max(128),
  name: shownName(100),
  platform: z.string().max(80),
})
export type EnrollRequest = z.infer<typeof EnrollRequest>

export const EnrollReply = z.object({
  agentId: Id,
  hubId: z.string(),
  hubPublicKey: z.string(),
  state: AgentState,
  name: z.string(),
})
export type EnrollReply = z.infer<typeof EnrollReply>

/**
 * Another key for the same machine. `signature` by the key it has, `newSignature` by the one it will have, both over
 * `agent-rotate-v1|<hubId>|<agentId>|<nonce>|<newPublicKey>`. Nothing else can be said with it.
 */
export const RotateKeyRequest = z.strictObject({
  agentId: Id,
  nonce: z.string().max(128),
  newPublicKey: z.string().max(64),
  signature: z.string().max(128),
  newSignature: z.string().max(128),
})
export type RotateKeyRequest = z.infer<typeof RotateKeyRequest>

export const RotateKeyReply = z.object({ agentId: Id, keyFingerprint: z.string() })
export type RotateKeyReply = z.infer<typeof RotateKeyReply>

/**
 * What people compare: 80 bits of a key's fingerprint in groups of four, the same on the page and on the machine. Who wants
 * another key that reads the same has to make 2^80 of them while the machine waits.
 */
export const shortFingerprint = (fingerprint: string): string =>
  (fingerprint.slice(0, 20).match(/.{1,4}/g) ?? []).join(' ')

/** Text that both ends sign and check; one place, so that they cannot drift apart. */
export const signedText = {
  hubAuth: (hubId: string, agentNonce: string) => `hub-auth-v1|${hubId}|${agentNonce}`,
  enroll: (hubId: string, nonce: string, publicKey: string) => `agent-enroll-v1|${hubId}|${nonce}|${publicKey}`,
  agentAuth: (hubId: string, agentId: string, nonce: string, hubUrl: string) =>
    `agent-auth-v1|${hubId}|${agentId}|${nonce}|${hubUrl}`,
  rotate: (hubId: string, agentId: string, nonce: string, newPublicKey: string) =>
    `agent-rotate-v1|${hubId}|${agentId}|${nonce}|${newPublicKey}`,
  auditHeadGiven: (hubId: string, head: { hubEpoch: string; count: number; id: number; hash: string; at: number }) =>
    `audit-head-v2|${hubId}|${head.hubEpoch}|${head.count}|${head.id}|${head.hash}|${head.at}`,
  auditHead: (hubId: string, head: { id: number; hash: string }) => `audit-head-v1|${hubId}|${head.id}|${head.hash}`,
}
/** Headers of the agent's WebSocket upgrade (LINK-1). */
export const agentAuthHeaders = {
  agentId: 'x-roundhouse-agent',
  nonce: 'x-roundhouse-nonce',
  signature: 'x-roundhouse-signature',
} as const

export const AgentName = z.object({ name: shownName(100) })

export const AgentsList = z.object({ items: z.array(AgentView) })
export type AgentsList = z.infer<typeof AgentsList>

export const FoldersReply = z.object({
  path: z.string(),
  roots: z.array(z.string()),
  folders: z.array(z.object({ name: z.string(), path: z.string() })),
  /** False: there are more. Older agents do not say. */
  complete: z.boolean().optional(),
})
export type FoldersReply = z.infer<typeof FoldersReply>

/** Query of a machine's folders; no path: its roots. */
export const FoldersQuery = z.object({ path: z.string().max(4096).optional() })
