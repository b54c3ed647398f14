/**
 * The decision register of a permission request: one conditional update, one winner (PERM-1). It says nothing about
 * what ran; that is the outcome, which only the host's log reports.
 */
import type { CommandState, Decision, PermissionOutcome } from '@roundhouse/backend-types'

/** `D` is whatever the hub keeps beside the decision: who, where, when, why. */
export interface DecisionRegister<D extends Attempt = Attempt> {
  readonly decision: D | null
  /** As far as the hub's stored events know. */
  readonly outcome: PermissionOutcome
  readonly digest: string
}

export interface Attempt {
  readonly decision: Decision
  /** The digest that the person saw. */
  readonly digest: string
}

export type Decided<D extends Attempt> =
  | { kind: 'won'; register: DecisionRegister<D> }
  | { kind: 'lost'; error: 'PERMISSION_ALREADY_DECIDED' | 'REQUEST_GONE' | 'DIGEST_MISMATCH' }

export function decide<D extends Attempt>(register: DecisionRegister<D>, attempt: D): Decided<D> {
  if (register.decision !== null) return { kind: 'lost', error: 'PERMISSION_ALREADY_DECIDED' }
  if (register.outcome !== 'open') return { kind: 'lost', error: 'REQUEST_GONE' }
  if (register.digest !== attempt.digest) return { kind: 'lost', error: 'DIGEST_MISMATCH' }
  return { kind: 'won', register: { ...register, decision: attempt } }
}

/**
 * What becomes of a decision whose request is open although its command is no longer on its way. `call_back`: nobody knows
 * whether the host has it; where the agent answers a cancel with `cancelled`, it does not, and a mark refuses it for good: the
 * decision is void from then on. `void`: it will never be applied, so the register is emptied and a person decides again. `listed`: the host's own account, newer
 * than its refusal, still holds the request open.
 */
export function decisionStands(command: CommandState, listed: boolean): 'stands' | 'call_back' | 'void' {
  switch (command) {
    case 'pending':
    case 'sent':
    case 'accepted':
    case 'done':
      return 'stands'
    case 'outcome_unknown':
      return 'call_back'
    case 'cancelled':
    case 'expired':
      return 'void'
    case 'refused':
      return listed ? 'void' : 'stands'
  }
}
