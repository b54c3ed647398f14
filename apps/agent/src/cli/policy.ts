/** `policy`: shows what this machine allows, in plain words, and checks its policy file. */
import { toCodedError } from '@roundhouse/backend-types'
import type { AgentHome } from '../files/agent-home'
import { checkPolicy } from '../policy/check-policy'
import { describePolicy } from '../policy/describe-policy'
import { PauseSwitch } from '../policy/pause'
import { PolicyStore } from '../policy/policy-store'
import { realRoots } from '../policy/real-roots'

export function showPolicy(home: AgentHome): { text: string; sound: boolean } {
  const findings = checkPolicy(home.policyFile, home.home)
  const lines = [
    `File      ${home.policyFile}`,
    ...inForce(home),
    ...findings.map(({ code, text }) => `!! [${code}] ${text}`),
    findings.length === 0 ? 'The policy is sound.' : 'Fix the lines marked !!.',
  ]
  return { text: lines.join('\n'), sound: findings.length === 0 }
}

function inForce(home: AgentHome): string[] {
  try {
    const policy = new PolicyStore(home.policyFile, home.home, realRoots).current()
    return describePolicy(policy, new PauseSwitch(home.pauseFile).since())
  } catch (error) {
    return [toCodedError(error).message]
  }
}
