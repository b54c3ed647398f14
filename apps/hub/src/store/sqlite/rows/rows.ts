/** How rows look on the raw connections, and the way to the core's shapes: 0 and 1 are booleans, a hash is hex. */
import type { StoredEvent } from '@roundhouse/backend-types'
import type { TokenRow } from '../../../core/ports/enrollment-token-store'

type Flags<T, K extends keyof T> = Omit<T, K> & Record<K, number>

export type RawToken = Flags<TokenRow, 'requireApproval'>

export interface RawEvent {
  seq: number
  toSeq: number | null
  kind: string
  v: number
  at: number
  storedAt: number
  hash: Buffer
  body: string
}

export const sessionColumns = `pk, sessionId, agentId, createdAt, createdBy, title, archived, onPermission, logId, committed,
  malformed, blocked, projection, settings, backend, workDir, status, turnFailed, lastLine, cost, contextUsage, updatedAt`

/** Where a session lies in the tables, by its index alone. */
export const pkOfSession = '(SELECT pk FROM Session WHERE sessionId = ?)'

/** For readers of many sessions that need no projection. */
export const keptColumns = sessionColumns.replace('projection,', `'' AS projection,`)

/** For lists: without the long texts, which they do not show. */
export const listedColumns = keptColumns.replace('settings,', `'{}' AS settings,`)

export const requestColumns = `r.requestId, r.sessionPk, r.sessionId, r.agentId, r.procId, r.digest, r.ask, r.askedAt,
  r.expiresAt, r.decision, r.decidedBy, r.deciderName, r.decidedAt, r.device, r.reason, r.commandId, r.outcome,
  r.resolvedSeq`

export const commandColumns = `commandId, sessionId, agentId, cmdSeq, kind, body, state, authorId, authorName, tokenId, createdAt,
  expiresAt, promptId, requestId, errorCode, errorMessage, errorField, dismissed`

/** All columns of an agent but its manifest. */
export const machineColumns = `agentId, name, state, publicKey, keyFingerprint, createdAt, createdBy, lastSeenAt, connEpoch, chains,
  chainEpoch, clonedAt, software, platform, NULL AS manifest, roots, maxSandbox, policyDigest, policySummary, pausedAt,
  clockOffsetMs`

/** With the event of this kind that the command bears out already (VIEW-8). */
const givenColumns = 'c.commandId, c.sessionId, c.kind, c.body, c.authorId, c.authorName, d.seq AS provenSeq'
const given = `SELECT ${givenColumns}
  FROM Command c LEFT JOIN Deed d ON d.commandId = c.commandId AND d.kind = `
export const givenCommand = `${given} ? WHERE c.commandId = ?`
/** Of a list of commands, each with its kind of event, at once: \`asked\` is a JSON array of pairs. */
export const givenCommands = `SELECT asked.value ->> 1 AS askedKind, ${givenColumns}
  FROM json_each(?) asked JOIN Command c ON c.commandId = asked.value ->> 0
  LEFT JOIN Deed d ON d.commandId = c.commandId AND d.kind = asked.value ->> 1`
/** Newest first: who wrote the text that a queued prompt had in the end. */
export const promptEdits = `${given} 'user_message'
  WHERE c.sessionId = ? AND c.promptId = ? AND c.kind = 'queue.edit' ORDER BY c.createdAt DESC LIMIT 50`
/** The same of several prompts of a session. */
export const promptEditsOfMany = `SELECT * FROM (
  SELECT c.promptId, row_number() OVER (PARTITION BY c.promptId ORDER BY c.createdAt DESC) AS place, ${givenColumns}
  FROM Command c LEFT JOIN Deed d ON d.commandId = c.commandId AND d.kind = 'user_message'
  WHERE c.sessionId = ? AND c.promptId IN (SELECT value FROM json_each(?)) AND c.kind = 'queue.edit'
) WHERE place <= 50 ORDER BY place`

export const eventColumns = 'seq, toSeq, kind, v, at, storedAt, hash, body'

export function toToken(raw: RawToken): TokenRow {
  return { ...raw, requireApproval: raw.requireApproval === 1 }
}

export function toEvent(raw: RawEvent): StoredEvent {
  const { toSeq, hash, ...rest } = raw
  return { ...rest, hash: hash.toString('hex'), ...(toSeq === null ? {} : { to: toSeq }) }
}
