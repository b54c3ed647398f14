/**
 * Whether a row is what the tables promise. SQLite keeps no sums of its pages: a bit that flipped shows in a type, in a NULL,
 * or in JSON that is none any more.
 */
type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const integer: Check = (value) => Number.isSafeInteger(value)
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const flag: Check = (value) => value === 0 || value === 1
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)

const json =
  (accepts: Check = () => true): Check =>
  (value) => {
    try {
      return typeof value === 'string' && accepts(JSON.parse(value))
    } catch {
      return false
    }
  }

const isObject: Check = (value) => typeof value === 'object' && value !== null

const session: Record<string, Check> = {
  pk: count,
  sessionId: text,
  agentId: text,
  createdAt: count,
  createdBy: orNull(text),
  title: text,
  archived: flag,
  onPermission: (value) => value === null || value === 'wait' || value === 'deny',
  logId: orNull(text),
  committed: count,
  malformed: count,
  blocked: flag,
  projection: text,
  backend: text,
  workDir: text,
  turnFailed: flag,
  lastLine: text,
  cost: number,
  updatedAt: count,
}

const command: Record<string, Check> = {
  commandId: text,
  sessionId: text,
  agentId: text,
  cmdSeq: orNull(count),
  kind: text,
  state: (value) => commandStates.has(value),
  authorId: text,
  authorName: text,
  createdAt: count,
  expiresAt: orNull(count),
  dismissed: flag,
}
const commandStates = new Set<unknown>([
  'pending',
  'sent',
  'accepted',
  'done',
  'refused',
  'expired',
  'cancelled',
  'outcome_unknown',
])

const request: Record<string, Check> = {
  requestId: text,
  sessionPk: count,
  sessionId: text,
  agentId: text,
  procId: text,
  digest: text,
  askedAt: integer,
  expiresAt: orNull(integer),
  decision: orNull(text),
  decidedAt: orNull(integer),
  outcome: text,
  resolvedSeq: orNull(count),
}

const agent: Record<string, Check> = {
  agentId: text,
  name: text,
  state: (value) => ['pending', 'active', 'disabled', 'revoked'].includes(value as string),
  publicKey: text,
  keyFingerprint: text,
  createdAt: count,
  lastSeenAt: orNull(integer),
  connEpoch: count,
  chains: json(Array.isArray),
  chainEpoch: text,
  manifest: orNull(json(isObject)),
  roots: json(Array.isArray),
  pausedAt: orNull(integer),
  clockOffsetMs: number,
}

const checks = {
  session: Object.entries(session),
  command: Object.entries(command),
  request: Object.entries(request),
  agent: Object.entries(agent),
}

export function isWhole(kind: keyof typeof checks, row: object): boolean {
  return checks[kind].every(([column, check]) => check((row as Record<string, unknown>)[column]))
}
