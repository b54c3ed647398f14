/**
 * A `Spec` as the options of an adapter. Pure. What this provider cannot do is `UNSUPPORTED` with the capability or the field;
 * nothing is left out silently.
 */
import { type Capabilities, type Capability, CodedError, type SpawnOptions } from '@roundhouse/backend-types'
import type { ProviderName } from '../contract/provider-name'
import type { MCPServerConfig, Spec } from '../contract/spec'
import { requireCapability } from './capabilities'

/** The capabilities that a `Spec` needs. */
function neededBy(spec: Spec): Capability[] {
  const has = (list: readonly unknown[] | undefined) => (list?.length ?? 0) > 0
  const needs: Array<[boolean, Capability]> = [
    [has(spec.allowedTools) || has(spec.mcpToolNames), 'accepts_allowed_tools_list'],
    [has(spec.mcpStdioServers), 'tool_plugins'],
    [has(spec.mcpStdioServers), 'accepts_mcp_server_spec'],
    [Boolean(spec.effort), 'reasoning_effort'],
    [Boolean(spec.baseInstructions), 'base_instructions'],
    [spec.permissionConfig !== undefined, 'permission_config'],
    [spec.codeIntelligenceEnforcement !== undefined, 'code_intel_enforcement'],
  ]
  return needs.flatMap(([needed, capability]) => (needed ? [capability] : []))
}

export function requireSupported(spec: Spec, caps: Capabilities, name: ProviderName): void {
  for (const capability of neededBy(spec)) requireCapability(caps, capability, name)
  if (!spec.subAgentProvider || spec.subAgentProvider === name) return
  throw new CodedError('UNSUPPORTED', `The provider ${name} starts no helpers of another one.`, {
    field: 'subAgentProvider',
  })
}

export interface OptionPlace {
  sessionId: string
  resumeId?: string | undefined
  /** Where its MCP servers are written. */
  mcpConfigPath?: string | undefined
  isBlocked(variable: string): boolean
}

/** `blocked`: the variables of `env` that the program does not get. */
export function optionsOf(spec: Spec, place: OptionPlace): { options: SpawnOptions; blocked: string[] } {
  const blocked = Object.keys(spec.env).filter(place.isBlocked)
  const env = Object.fromEntries(Object.entries(spec.env).filter(([variable]) => !blocked.includes(variable)))
  const allowedTools = [...(spec.allowedTools ?? []), ...(spec.mcpToolNames ?? [])]
  // Each adapter refuses the names that it does not know.
  const config = { ...spec.providerConfig, ...(spec.maxTurns !== undefined && { maxTurns: spec.maxTurns }) }
  const instructions = [spec.baseInstructions, spec.systemPromptAppend].filter(Boolean).join('\n\n')
  const options: SpawnOptions = {
    sessionId: place.sessionId,
    workDir: spec.cwd,
    env,
    ...(place.resumeId !== undefined && { resumeId: place.resumeId }),
    // Without `sandboxEnabled` the careful default holds: more than that is never taken from a missing word.
    ...(spec.sandboxEnabled && spec.sandboxLevel && { sandbox: spec.sandboxLevel }),
    ...(allowedTools.length > 0 && { allowedTools: [...new Set(allowedTools)] }),
    ...(spec.disallowedTools?.length && { disallowedTools: spec.disallowedTools }),
    ...(place.mcpConfigPath !== undefined && { mcpConfigPath: place.mcpConfigPath }),
    ...(spec.model && { model: spec.model }),
    ...(spec.effort && { thinking: spec.effort }),
    ...(instructions && { systemPrompt: instructions }),
    ...(Object.keys(config).length > 0 && { providerConfig: config }),
  }
  return { options, blocked }
}

/** In the usual shape of a configuration file. Null where the `Spec` has none. */
export function mcpConfigOf(servers: readonly MCPServerConfig[] = []): string | null {
  if (servers.length === 0) return null
  const entries = servers.map(({ name, type, command, args, env, url, headers }) => {
    const isHttp = type === 'http'
    if (isHttp ? !url : !command) {
      const field = isHttp ? 'url' : 'command'
      throw new CodedError('INVALID_ARGUMENT', `The MCP server ${name} has no ${field}.`, { path: 'mcpStdioServers' })
    }
    return [name, isHttp ? { type: 'http', url, headers } : { command, args, env }] as const
  })
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) })
}
