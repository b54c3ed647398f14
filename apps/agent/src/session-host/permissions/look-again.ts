/**
 * Checks a decision against the current state of its request (PERM-2, PERM-8): reads the files and follows the links again,
 * applies an edit or the answers to a question, and asks the machine's policy about both the shown action and the one
 * that would run.
 */
import { CodedError, type CommandOf, chosenScope } from '@roundhouse/backend-types'
import type { CheckedNow } from '@roundhouse/delivery'
import { deniedBy } from '../../actions/denied'
import type { HostPolicy } from '../../host-contract/launch-spec'
import { requireChanges } from '../settings/judge-again'
import { type ActionNow, type AskSurroundings, lookAtAction, type OpenAsk, refusalOf } from './ask'
import { onlyPrintedFilesChanged } from './changed-files'
import { restoreInput } from './shown-input'
import { withAnswers } from './with-answers'

type DecideCommand = CommandOf<'permission.decide'>

export interface LookedAgain {
  checked: CheckedNow
  /** The shown action as it is now. */
  asked: ActionNow
  /** The action that would run, with an edit and with the hidden secrets. */
  runs: ActionNow
  /** Set if a person changed the input or answered a question. */
  edit: { kind: 'edited' | 'answered'; input: unknown } | null
  /** Changed files that do not make it a different action. */
  changedFiles: string[]
}

/** Throws `EDIT_NOT_ALLOWED`, or the policy's refusal of a mode. */
export function lookAgain(
  decision: DecideCommand,
  open: OpenAsk,
  around: AskSurroundings,
  policy: HostPolicy,
): LookedAgain {
  requireMode(decision, open, policy)
  requireScope(decision, open, policy)
  const edit = editOf(decision, open)
  const { procId } = open.ask
  const asked = lookAtAction(open.request, procId, around)
  const runs = edit ? lookAtAction(open.request, procId, around, edit.input) : asked
  const refusedBy = refusalOf(asked, policy) ?? refusalOf(runs, policy)
  const changedFiles = edit ? null : onlyPrintedFilesChanged(open.action, asked)
  const currentDigest = changedFiles ? open.ask.digest : asked.digest
  const checked = { currentDigest, effectiveDigest: runs.digest, refusedBy }
  return { checked, asked, runs, edit, changedFiles: changedFiles ?? [] }
}

/** The name of the policy rule that forbids the action. */
export function ruleAgainst({ asked, runs }: LookedAgain, refusedBy: 'policy' | 'path', policy: HostPolicy): string {
  return deniedBy(asked.action, policy) ?? deniedBy(runs.action, policy) ?? (refusedBy === 'path' ? 'roots' : 'policy')
}

function editOf(decision: DecideCommand, open: OpenAsk): LookedAgain['edit'] {
  const { updatedInput, answers } = decision
  if (updatedInput === undefined && answers === undefined) return null
  if (decision.decision !== 'allow' || (updatedInput !== undefined && answers !== undefined)) {
    throw new CodedError('EDIT_NOT_ALLOWED')
  }
  if (answers !== undefined) return { kind: 'answered', input: withAnswers(open, answers) }
  if (!open.ask.canEdit) throw new CodedError('EDIT_NOT_ALLOWED')
  return { kind: 'edited', input: restoreInput(updatedInput, open.shown) }
}

/** The request must offer modes, and a person must be able to choose this one for the session. */
function requireMode({ mode, decision }: DecideCommand, open: OpenAsk, policy: HostPolicy): void {
  if (mode === undefined) return
  const { canSetMode, plan } = open.ask
  if (decision !== 'allow' || !canSetMode) {
    throw new CodedError('EDIT_NOT_ALLOWED', 'This decision cannot change the mode.')
  }
  requireChanges(policy, { mode })
  if (plan && !Object.values(plan.modes ?? {}).includes(mode))
    throw new CodedError('EDIT_NOT_ALLOWED', 'This plan does not offer that mode.')
}

/** The request must offer this scope, so that the person saw its words (PERM-5, PERM-13). */
function requireScope({ scopeId, decision, always }: DecideCommand, { ask }: OpenAsk, policy: HostPolicy): void {
  if (scopeId === undefined && !always) return
  if (decision !== 'allow_session' || !chosenScope(ask, scopeId, always)) {
    throw new CodedError('EDIT_NOT_ALLOWED', 'This request does not offer that scope.')
  }
  if (always && policy.acceptHubRules !== true) {
    throw new CodedError('POLICY_DENIED', 'This machine accepts no rules of a hub.', { rule: 'acceptHubRules' })
  }
}
