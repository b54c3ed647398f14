/** `rules`: lists what this machine allows without asking in a folder (PERM-13), and revokes it. */
import { CodedError } from '@roundhouse/backend-types'
import type { AgentHome } from '../files/agent-home'
import { FolderRulesFolder, type KeptRule } from '../policy/folder-rules'
import { PolicyStore } from '../policy/policy-store'
import { realRoots } from '../policy/real-roots'

const rulesOf = (home: AgentHome): FolderRulesFolder => new FolderRulesFolder(home.rulesFolder, home.home, Date.now)

export function listRules(home: AgentHome): string {
  const rules = rulesOf(home).all()
  if (rules.length === 0) return 'No rules: every action that asks waits for a person.'
  const cut = acceptsRules(home) ? [] : ['!! acceptHubRules is off in the policy: none of these rules has an effect.']
  return [...cut, ...rules.flatMap(linesOf), 'To end one: roundhouse-agent rules revoke <id>'].join('\n')
}

function linesOf({ ruleId, label, folder, backend, author, sessionId, createdAt, expiresAt }: KeptRule): string[] {
  const [from, until] = [createdAt, expiresAt].map((at) => new Date(at).toISOString())
  return [
    `${ruleId}  ${label}`,
    `    for ${backend} in ${folder}, until ${until}`,
    `    by ${author.name} (${author.userId}), ${from}, in the session ${sessionId}`,
  ]
}

export function revokeRule(home: AgentHome, ruleId: string): string {
  const rule = rulesOf(home).revoke(ruleId)
  if (rule) return `Revoked: ${rule.label}`
  throw new CodedError('NOT_FOUND', `There is no rule ${ruleId}. See: roundhouse-agent rules`)
}

function acceptsRules(home: AgentHome): boolean {
  try {
    return new PolicyStore(home.policyFile, home.home, realRoots).current().acceptHubRules
  } catch {
    return false
  }
}
