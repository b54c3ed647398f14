/**
 * The outcome register of permission requests, at the host (PERM-1, PERM-2).
 *
 *   open ─ beginApply ─► applying ─ finishApply ─► applied
 *    ├─ refuse / expire / withdraw / supersede ──► refused | expired | withdrawn | superseded
 *    └─ the process is gone: open ─► orphaned, applying ─► outcome_unknown
 *
 * `applying` is on disk before the program hears the decision, so each decision is sent at most once. A closed request leaves the
 * ledger; its `permission_resolved` goes to the log in the same transaction.
 */
import type { Decision, PermissionAsk, PermissionOutcome } from '@roundhouse/backend-types'

export interface LedgerEntry {
  readonly ask: PermissionAsk
  /** What is being applied; null while the request is open. */
  readonly applying: Applying | null
}

export interface Applying {
  readonly decision: Decision
  /** Of the action that really runs, an edit included. */
  readonly effectiveDigest: string
  readonly commandId: string | null
}

/** Entries by `requestId`. */
export type PermissionLedger = Readonly<Record<string, LedgerEntry>>

export interface Closed {
  ask: PermissionAsk
  outcome: Exclude<PermissionOutcome, 'open'>
  applying: Applying | null
  supersededBy?: string
}

export interface LedgerStep {
  ledger: PermissionLedger
  closed: Closed[]
}

/** A decision as the command carries it. */
export interface IncomingDecision {
  requestId: string
  procId: string
  /** The digest that the person saw. */
  digest: string
  decision: Decision
  commandId: string | null
}

/** What the host found when it checked the action again, just before applying. */
export interface CheckedNow {
  /** Digest of the request as it stands now, files included. */
  currentDigest: string
  effectiveDigest: string
  /** A rule that the effective action breaks. */
  refusedBy?: 'policy' | 'path' | undefined
}

export type BeginApply =
  /** Write the ledger to disk, send the decision to the program, then call `finishApply`. */
  | { kind: 'apply'; ledger: PermissionLedger; entry: LedgerEntry }
  /** The action changed after it was shown. The program keeps waiting; call `supersede` with the new request. */
  | { kind: 'changed' }
  | { kind: 'refused'; refusedBy: 'policy' | 'path'; step: LedgerStep }
  /** Closed, being applied, never known here, or asked by another process (`REQUEST_GONE`). */
  | { kind: 'gone' }

export function openRequest(ledger: PermissionLedger, ask: PermissionAsk): PermissionLedger {
  return ask.requestId in ledger ? ledger : { ...ledger, [ask.requestId]: { ask, applying: null } }
}

export function beginApply(ledger: PermissionLedger, incoming: IncomingDecision, now: CheckedNow): BeginApply {
  const entry = ledger[incoming.requestId]
  if (!entry || entry.applying || entry.ask.procId !== incoming.procId) return { kind: 'gone' }
  const { decision, commandId } = incoming
  const allows = decision === 'allow' || decision === 'allow_session'
  // A refusal needs no proof of what was seen: whatever the action has become, it will not run.
  if (allows && (incoming.digest !== entry.ask.digest || now.currentDigest !== entry.ask.digest))
    return { kind: 'changed' }
  if (allows && now.refusedBy)
    return { kind: 'refused', refusedBy: now.refusedBy, step: close(ledger, [entry], () => 'refused') }
  const applying = { decision, effectiveDigest: now.effectiveDigest, commandId }
  const next = { ...entry, applying }
  return { kind: 'apply', ledger: { ...ledger, [entry.ask.requestId]: next }, entry: next }
}

/** The program has the decision. */
export function finishApply(ledger: PermissionLedger, requestId: string): LedgerStep {
  return close(
    ledger,
    pick(ledger, (entry) => entry.ask.requestId === requestId && entry.applying !== null),
    () => 'applied',
  )
}

/** The backend withdrew its request. A decision that is being applied can no longer be withdrawn. */
export function withdraw(ledger: PermissionLedger, requestId: string): LedgerStep {
  return close(
    ledger,
    pick(ledger, (entry) => entry.ask.requestId === requestId && !entry.applying),
    () => 'withdrawn',
  )
}

/** PERM-2: the same request of the program under a new digest, and therefore a new request. */
export function supersede(ledger: PermissionLedger, requestId: string, ask: PermissionAsk): LedgerStep {
  const step = close(
    ledger,
    pick(ledger, (entry) => entry.ask.requestId === requestId && !entry.applying),
    () => 'superseded',
  )
  if (step.closed.length === 0) return step
  return {
    ledger: openRequest(step.ledger, ask),
    closed: step.closed.map((closed) => ({ ...closed, supersededBy: ask.requestId })),
  }
}

/** PERM-3: the process that asked is gone. Nobody can know whether a decision that was being applied reached it. */
export function orphanAll(ledger: PermissionLedger, procId: string): LedgerStep {
  return close(
    ledger,
    pick(ledger, (entry) => entry.ask.procId === procId),
    (entry) => (entry.applying ? 'outcome_unknown' : 'orphaned'),
  )
}

/** PERM-4: the caller tells the program that nobody decided, which is not a refusal. */
export function expire(ledger: PermissionLedger, isOver: (ask: PermissionAsk) => boolean): LedgerStep {
  const over = ({ ask, applying }: LedgerEntry) => !applying && ask.expiresAt !== undefined && isOver(ask)
  return close(ledger, pick(ledger, over), () => 'expired')
}

function pick(ledger: PermissionLedger, wanted: (entry: LedgerEntry) => boolean): LedgerEntry[] {
  return Object.values(ledger).filter(wanted)
}

function close(
  ledger: PermissionLedger,
  entries: LedgerEntry[],
  outcome: (entry: LedgerEntry) => Closed['outcome'],
): LedgerStep {
  const gone = new Set(entries.map(({ ask }) => ask.requestId))
  return {
    ledger: Object.fromEntries(Object.entries(ledger).filter(([requestId]) => !gone.has(requestId))),
    closed: entries.map((entry) => ({ ask: entry.ask, applying: entry.applying, outcome: outcome(entry) })),
  }
}
