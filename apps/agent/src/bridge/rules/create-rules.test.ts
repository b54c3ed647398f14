import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../../policy/policy'
import type { RealPaths } from '../../policy/real-paths'
import { judgeCreation, type MachineRules } from './create-rules'
import { planSession, readOptions } from './session-plan'

const able = { label: 'Claude Code', isDirect: true }
const machine: MachineRules = { ...defaultPolicy(), roots: ['/code'], paused: false }
const paths: RealPaths = {
  '/code/app': { kind: 'folder', real: '/code/app' },
  '/code/lib': { kind: 'folder', real: '/code/lib' },
  '/etc': { kind: 'folder', real: '/etc' },
}

function judge(options: object, rules: Partial<MachineRules> = {}, cwd = '/code/app') {
  const plan = planSession(readOptions(options as Record<string, unknown>), 'claude', cwd, able)
  return judgeCreation({ ...machine, ...rules }, plan, paths)
}

describe('[POL-1] a session of the bridge', () => {
  it('may use what a client of the machine’s owner may name: tools that run without asking, too', () => {
    expect(
      judge({ allowed_tools: ['Read'], additional_directories: ['/code/lib'], sandbox: { enabled: true } }),
    ).toBeNull()
  })

  it.each<[string, object, Partial<MachineRules>, string, string?]>([
    ['outside of the roots', {}, {}, 'PATH_NOT_ALLOWED', '/etc'],
    ['with a folder outside of them', { additional_directories: ['/etc'] }, {}, 'PATH_NOT_ALLOWED'],
    ['of a backend that is not allowed', {}, { backends: { codex: {} } }, 'backends'],
    ['above the sandbox', { sandbox: 'full-access' }, {}, 'maxSandbox'],
    ['in a read-only machine without saying so', {}, { maxSandbox: 'read-only' }, 'maxSandbox'],
    [
      'that never asks',
      { permission_mode: 'bypassPermissions' },
      { maxSandbox: 'full-access' },
      'allowBypassPermissions',
    ],
    [
      'with an agent that never asks',
      { agents: { a: { permissionMode: 'bypassPermissions' } } },
      {},
      'allowBypassPermissions',
    ],
    ['with its own MCP servers', { mcp_servers: { a: { command: 'a' } } }, {}, 'trustProjectConfig'],
    ['with an agent that brings some', { agents: { a: { mcpServers: [] } } }, {}, 'trustProjectConfig'],
    ['with the repository’s settings', { setting_sources: ['project'] }, {}, 'trustProjectConfig'],
    ['in a folder of the agent', {}, { agentPlaces: ['/code/app'] }, 'agentHome'],
    ['while the machine is paused', {}, { paused: true }, 'paused'],
  ])('%s is refused, and says by which rule', (_what, options, rules, rule, cwd) => {
    const refusal = judge(options, rules, cwd)
    expect([refusal?.code, refusal?.details?.rule]).toContain(rule)
  })

  it('of another version is refused', () => {
    expect(judge({}, { wrongVersions: { claude: 'Claude Code is 1.0.' } })).toMatchObject({ code: 'BACKEND_VERSION' })
  })

  it('on a machine that trusts its repositories may bring its own servers and load their settings', () => {
    const options = { mcp_servers: { a: { command: 'a' } }, setting_sources: ['project'], agents: { a: { hooks: {} } } }
    expect(judge(options, { trustProjectConfig: true })).toBeNull()
  })
})
