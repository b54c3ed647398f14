/**
 * Decides an action in the place of a person (PERM-5, PERM-10 to PERM-13). In this order: a deny pattern of the session, a tool of the
 * host itself, what its program would run unasked, an allow pattern, a grant, a rule of the folder, the session's default.
 */
import { type AllowingGrant, sessionRuleId } from '@roundhouse/backend-types'
import type { JudgedScope } from '@roundhouse/delivery'
import { runsUnasked } from '../../actions/unasked'
import type { AskedRequest } from '../program/shown-tool'
import { type ActionNow, isAllowedByGrants } from './ask'
import type { BrokerPorts } from './broker-ports'
import { coversAction } from './offered-scopes'
import { type Asked, judgeByDefault, judgeByRules } from './session-rules'

export type StandingAnswer =
  | { kind: 'ask' }
  /** The transcript says nothing of it. */
  | { kind: 'run' }
  | { kind: 'allow'; by: AllowingGrant }
  /** `pattern`: of the session's rules. */
  | { kind: 'deny'; pattern: string }

type AnswerPorts = Pick<BrokerPorts, 'grants' | 'folderRules' | 'session' | 'policy'>

/** What the default decides, in the place of a pattern. */
const NOT_ALLOWED = 'everything that no rule allows'
const NOT_DENIED = 'everything that no rule denies'

export function standingAnswer(ports: AnswerPorts, request: AskedRequest, looked: ActionNow): StandingAnswer {
  const { session } = ports
  const policy = ports.policy()
  const around = { cwd: looked.action.cwd, folders: session.folders(), roots: policy.roots, rules: policy }
  const asked: Asked = { request, looked, around, readsOnly: session.readsOnly() }
  const rules = session.rules()
  const verdict = judgeByRules(rules, asked)
  if (verdict.kind === 'deny') return { kind: 'deny', pattern: verdict.by }
  if (ports.session.isOwnTool(request.toolName)) return { kind: 'run' }
  if (verdict.kind !== 'person' && runsUnasked(request, looked.wide, around)) return { kind: 'run' }
  if (verdict.kind === 'allow') return { kind: 'allow', by: bySessionRule(verdict.by) }
  const by = grantOrNothing(ports, request, looked, verdict.kind === 'person')
  if (by) return { kind: 'allow', by }
  switch (judgeByDefault(rules, asked)) {
    case 'deny':
      return { kind: 'deny', pattern: NOT_ALLOWED }
    case 'allow':
      return verdict.kind === 'person' ? { kind: 'ask' } : { kind: 'allow', by: bySessionRule(NOT_DENIED) }
    case 'prompt':
      return { kind: 'ask' }
  }
}

const bySessionRule = (label: string): AllowingGrant => ({ grantId: sessionRuleId, label, rule: 'session' })

/** PERM-6: an error of our own leaves the request to a person. */
function grantOrNothing(...asked: Parameters<typeof grantFor>): AllowingGrant | undefined {
  try {
    return grantFor(...asked)
  } catch (error) {
    console.error('the active permissions could not be asked', error)
    return undefined
  }
}

function grantFor(
  { grants, folderRules }: AnswerPorts,
  request: AskedRequest,
  looked: ActionNow,
  isUncertain: boolean,
): AllowingGrant | undefined {
  if (!isAllowedByGrants(request)) return undefined
  const question = {
    ...looked,
    toolName: request.toolName,
    exactOnly: isUncertain || looked.doubts.length > 0,
    covers: (scope: JudgedScope) => coversAction(scope, looked.wide),
  }
  const held = grants.covering(question) ?? grants.covering({ ...question, actionDigest: looked.wordedDigest })
  if (!held) return folderRules.covering(question)
  const { grantId, label, commandId } = held
  return { grantId, label, ...(commandId === undefined ? {} : { commandId }) }
}
