/** Rows of a store for tests, with defaults. */

import type { CommandBody } from '@roundhouse/backend-types'
import type { CommandRow } from '../core/ports/command-store'
import type { TokenRow } from '../core/ports/enrollment-token-store'
import type { AgentRow } from '../core/ports/machine-store'
import type { NewRequest } from '../core/ports/request-store'
import { ask } from './scenario'

export function requestRow(
  requestId: string,
  of: Pick<NewRequest, 'sessionId' | 'agentId'>,
  change: Partial<NewRequest> = {},
): NewRequest {
  const undecided = { decision: null, decidedBy: null, deciderName: null, decidedAt: null, device: null, reason: null }
  const question = { procId: 'p1', digest: 'd', ask: ask(requestId), askedAt: 1, expiresAt: null }
  return { requestId, ...of, ...question, ...undecided, commandId: null, outcome: 'open', resolvedSeq: null, ...change }
}

export function commandRow(
  commandId: string,
  of: Pick<CommandRow, 'sessionId' | 'agentId'>,
  change: Partial<CommandRow> = {},
): CommandRow {
  const kind = change.kind ?? 'session.resume'
  return {
    commandId,
    ...of,
    cmdSeq: 1,
    kind,
    body: { kind } as CommandBody,
    state: 'pending',
    authorId: 'ana',
    authorName: 'Ana',
    tokenId: null,
    createdAt: 1,
    expiresAt: null,
    promptId: null,
    requestId: null,
    errorCode: null,
    errorMessage: null,
    errorField: null,
    dismissed: false,
    ...change,
  }
}

export function machineRow(agentId: string, change: Partial<AgentRow> = {}): AgentRow {
  return {
    agentId,
    name: agentId,
    state: 'active',
    publicKey: `key of ${agentId}`,
    keyFingerprint: 'f',
    createdAt: 1,
    createdBy: null,
    lastSeenAt: null,
    connEpoch: 0,
    chains: ['a', 'b'],
    chainEpoch: '',
    clonedAt: null,
    software: null,
    platform: null,
    manifest: null,
    roots: ['/code'],
    maxSandbox: null,
    policyDigest: null,
    policySummary: null,
    pausedAt: null,
    clockOffsetMs: 0,
    ...change,
  }
}

export function tokenRow(tokenId: string, change: Partial<TokenRow> = {}): TokenRow {
  return {
    tokenId,
    secretHash: 'h',
    name: null,
    createdBy: 'ana',
    createdAt: 1,
    expiresAt: 1_000,
    usedAt: null,
    usedBy: null,
    revokedAt: null,
    wrongAttempts: 0,
    requireApproval: false,
    ...change,
  }
}
