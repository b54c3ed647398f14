/**
 * Whether this machine's policy lets the client create this session (POL-1). Pure. The client is a program of the machine's
 * owner and no hub: what a hub may not name (tools that run without asking), the client may. Everything else holds as it does
 * for a hub.
 */
import { CodedError } from '@roundhouse/backend-types'
import { judgeChanges, judgeSettings, type SessionRules } from '../../policy/judge'
import type { RealPaths } from '../../policy/real-paths'
import type { SessionPlan } from './session-plan'

export type MachineRules = SessionRules & {
  paused: boolean
  denyTools: readonly string[]
  denyPaths: readonly string[]
}

export function judgeCreation(rules: MachineRules, plan: SessionPlan, realPaths: RealPaths): CodedError | null {
  return (
    (rules.paused ? paused() : null) ??
    judgeSettings({ ...rules, acceptHubRules: true }, plan.settings, realPaths) ??
    judgeBrought(rules, plan)
  )
}

/** The session goes on in another mode or with another model. */
export const judgeChange = (rules: MachineRules, change: { mode?: string; model?: string }): CodedError | null =>
  judgeChanges(rules, change)

/** What starts before anybody is asked. */
function judgeBrought(rules: MachineRules, { mcpServers, providerConfig }: SessionPlan): CodedError | null {
  const agents = Object.entries((providerConfig.agents ?? {}) as Record<string, Record<string, unknown>>)
  for (const [name, { permissionMode }] of agents) {
    const refused = typeof permissionMode === 'string' ? judgeChanges(rules, { mode: permissionMode }) : null
    if (refused) return new CodedError(refused.code, `agents.${name}: ${refused.message}`, refused.details)
  }
  if (rules.trustProjectConfig) return null
  if (mcpServers) return untrusted('A session may not bring its own MCP servers here.')
  const server = agents.find(([, agent]) => agent.mcpServers !== undefined || agent.hooks !== undefined)
  if (server) return untrusted(`agents.${server[0]}: an agent may not bring its own MCP servers or hooks here.`)
  const sources = (providerConfig.settingSources ?? []) as readonly string[]
  const named = sources.find((source) => source !== 'user')
  return named === undefined ? null : untrusted(`This machine does not load settings of "${named}".`)
}

const untrusted = (message: string) => new CodedError('POLICY_DENIED', message, { rule: 'trustProjectConfig' })

const paused = () =>
  new CodedError(
    'POLICY_DENIED',
    'The owner of this machine has paused it, so nothing new starts. To continue: roundhouse-agent resume',
    { rule: 'paused' },
  )
