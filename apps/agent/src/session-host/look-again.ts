/**
 * A decision held against what its request has become (PERM-2, PERM-8): the files are read and the links followed anew, an
 * edit is put in, and the machine's policy is asked about what was shown and about what would run.
 */
import { CodedError, type CommandOf } from '@roundhouse/backend-types'
import type { CheckedNow } from '@roundhouse/delivery'
import type { HostPolicy } from '../host-contract/launch-spec'
import { type ActionNow, type AskSurroundings, lookAtAction, type OpenAsk, refusalOf } from './ask'
import { deniedBy } from './denied'
import { restoreInput } from './shown-input'

export interface LookedAgain {
  checked: CheckedNow
  /** What would run: an edit included, with the secrets that were not shown. */
  runs: ActionNow
  /** Where the person changed the input. */
  edit: { input: unknown } | null
}

/** Throws `EDIT_NOT_ALLOWED`. */
export function lookAgain(
  decision: CommandOf<'permission.decide'>,
  open: OpenAsk,
  around: AskSurroundings,
  policy: HostPolicy,
): LookedAgain {
  const edit = editOf(decision, open)
  const { procId } = open.ask
  const asked = lookAtAction(open.request, procId, around)
  const runs = edit ? lookAtAction(open.request, procId, around, edit.input) : asked
  const refusedBy = refusalOf(asked, policy) ?? refusalOf(runs, policy)
  return { checked: { currentDigest: asked.digest, effectiveDigest: runs.digest, refusedBy }, runs, edit }
}

/** The rule of the policy that stands against it, by its name there. */
export function ruleAgainst({ action }: ActionNow, refusedBy: 'policy' | 'path', policy: HostPolicy): string {
  return deniedBy(action, policy) ?? (refusedBy === 'path' ? 'roots' : 'denyTools')
}

function editOf({ updatedInput, decision }: CommandOf<'permission.decide'>, open: OpenAsk): LookedAgain['edit'] {
  if (updatedInput === undefined) return null
  if (decision !== 'allow' || !open.ask.canEdit) throw new CodedError('EDIT_NOT_ALLOWED')
  return { input: restoreInput(updatedInput, open.shown) }
}
