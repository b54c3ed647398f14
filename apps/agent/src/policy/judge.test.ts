import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Command, CommandBody, PermissionConfig, SessionSettings } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { ownerEnvironment } from './environment'
import { judgeCommand } from './judge'
import { Policy } from './policy'
import { pathsOf, type RealPaths } from './real-paths'
import { resolveRealPaths } from './resolve-paths'

const command = (body: CommandBody): Command => ({
  commandId: 'c1',
  sessionId: 's1',
  author: { userId: 'u1', name: 'Ana' },
  createdAt: 1,
  body,
})
const create = (settings: Partial<SessionSettings> = {}, text?: string): Command =>
  command({
    kind: 'session.create',
    settings: { backend: 'claude', workDir: '/code/app', ...settings },
    ...(text === undefined ? {} : { prompt: { promptId: 'p1', text } }),
  })
const policyWith = (fields: object = {}): Policy => Policy.parse({ roots: ['/code'], ...fields })
const folders: RealPaths = {
  '/code/app': { kind: 'folder', real: '/code/app' },
  '/code': { kind: 'folder', real: '/code' },
  '/codex': { kind: 'folder', real: '/codex' },
  '/etc': { kind: 'folder', real: '/etc' },
  '/code/link': { kind: 'folder', real: '/etc' },
  '/code/mcp.json': { kind: 'file', real: '/code/mcp.json', names: 1 },
  '/etc/mcp.json': { kind: 'file', real: '/etc/mcp.json', names: 1 },
}
const verdict = (asked: Command, policy = policyWith()) => {
  const refusal = judgeCommand(policy, asked, folders)
  const { field: _, ...details } = refusal?.details ?? {}
  return refusal && { code: refusal.code, ...details }
}

describe('[POL-1] the policy of the machine', () => {
  it('allows a session in an allowed folder, and the root itself', () => {
    expect(verdict(create())).toBeNull()
    expect(verdict(create({ workDir: '/code' }))).toBeNull()
  })

  it('allows nothing while no folder is allowed, and names the command that allows one', () => {
    const refusal = judgeCommand(policyWith({ roots: [] }), create(), folders)
    expect(refusal?.code).toBe('PATH_NOT_ALLOWED')
    expect(refusal?.message).toMatch(/^The folder is outside .* It allows .*roundhouse-agent allow \/code\/app$/)
  })

  it('[POL-1.10] allows a program that it names, beside the backends that it allows', () => {
    const programs = { kilo: { argv: ['/opt/kilo'] } }
    const refused = { code: 'POLICY_DENIED', rule: 'backends' }
    expect(verdict(create({ backend: 'kilo' }), policyWith({ backends: {}, programs }))).toBeNull()
    expect(verdict(create(), policyWith({ backends: {}, programs }))).toEqual(refused)
    expect(verdict(create({ backend: 'kilo' }), policyWith({ backends: {} }))).toEqual(refused)
    expect(verdict(create({ backend: 'constructor' }), policyWith({ backends: {} }))).toEqual(refused)
  })

  it('quotes a folder name that a shell would take apart', () => {
    const odd = "/tmp/a b'$(x)"
    const refusal = judgeCommand(policyWith(), create({ workDir: odd }), { [odd]: { kind: 'folder', real: odd } })
    expect(refusal?.message).toContain(`On that machine run: roundhouse-agent allow '/tmp/a b'\\''$(x)'`)
  })

  it('names no other machine to a person who sits at this one', () => {
    const refusal = judgeCommand({ ...policyWith({ roots: [] }), isHere: true }, create(), folders)
    expect(refusal?.message).toMatch(/It allows no folder yet\. To allow it, run: roundhouse-agent allow \/code\/app$/)
  })

  it.each(['/etc', '/code/link', '/codex', '/code/missing', 'code/app', '\\\\server\\share', 'CON', '/CODE/app'])(
    '[T61] refuses the folder %s',
    (workDir) => {
      expect(verdict(create({ workDir }))).toMatchObject({ code: 'PATH_NOT_ALLOWED', path: workDir })
    },
  )

  it('judges additional folders and the MCP file like the folder itself', () => {
    expect(verdict(create({ additionalDirs: ['/code', '/etc'] }))).toMatchObject({
      code: 'PATH_NOT_ALLOWED',
      path: '/etc',
    })
    const trusting = policyWith({ trustProjectConfig: true })
    expect(verdict(create({ mcpConfigPath: '/code/mcp.json' }), trusting)).toBeNull()
    expect(verdict(create({ mcpConfigPath: '/etc/mcp.json' }), trusting)).toMatchObject({ code: 'PATH_NOT_ALLOWED' })
    expect(verdict(create({ mcpConfigPath: '/code/app' }), trusting)).toMatchObject({ code: 'PATH_NOT_ALLOWED' })
  })

  it('[A41] takes no MCP servers from a hub by default: they start before anybody is asked', () => {
    expect(verdict(create({ mcpConfigPath: '/code/mcp.json' }))).toMatchObject({
      code: 'POLICY_DENIED',
      rule: 'trustProjectConfig',
    })
  })

  it.each<[string, Partial<SessionSettings>]>([
    ['backend', { backend: 'codex' }],
    ['workDir', { workDir: '/etc' }],
    ['additionalDirs', { additionalDirs: ['/code', '/etc'] }],
    ['mcpConfigPath', { mcpConfigPath: '/code/mcp.json' }],
    ['sandbox', { sandbox: 'full-access' }],
    ['model', { model: '--help' }],
    ['mode', { mode: 'bypassPermissions' }],
    ['roleId', { roleId: '../x' }],
    ['allowedTools', { allowedTools: ['Bash'] }],
    ['disallowedTools', { disallowedTools: ['-x'] }],
    ['permissionConfig.allowPatterns', { permissionConfig: { allowPatterns: ['Bash'] } }],
    ['permissionConfig.defaultDecision', { permissionConfig: { defaultDecision: 'allow' } }],
    ['env', { env: { PATH: '/tmp' } }],
  ])('[POL-1.11] says that it refuses the setting %s', (field, settings) => {
    const refusal = judgeCommand(policyWith({ backends: { claude: {} } }), create(settings), folders)
    expect(refusal?.details).toMatchObject({ field })
  })

  it('[T50] refuses a sandbox above its own and never lowers one', () => {
    expect(verdict(create({ sandbox: 'full-access' }))).toEqual({ code: 'POLICY_DENIED', rule: 'maxSandbox' })
    expect(verdict(create(), policyWith({ maxSandbox: 'read-only' }))).toEqual({
      code: 'POLICY_DENIED',
      rule: 'maxSandbox',
    })
    expect(verdict(create({ sandbox: 'full-access' }), policyWith({ maxSandbox: 'full-access' }))).toBeNull()
    const change = command({ kind: 'session.configure', changes: { sandbox: 'full-access' } })
    expect(verdict(change)).toEqual({ code: 'POLICY_DENIED', rule: 'maxSandbox' })
  })

  it.each([
    'bypassPermissions',
    'auto',
    'autoEdit',
    'bypass_permissions',
    'BYPASS',
    'yolo',
    'never',
    'dangerously-skip-permissions',
  ])('[T50] refuses the mode %s at create, at configure and for one turn', (mode) => {
    const denied = { code: 'POLICY_DENIED', rule: 'allowBypassPermissions' }
    expect(verdict(create({ mode }))).toEqual(denied)
    expect(verdict(command({ kind: 'session.configure', changes: { mode } }))).toEqual(denied)
    expect(verdict(command({ kind: 'prompt.send', promptId: 'p', text: 'x', override: { mode } }))).toEqual(denied)
    expect(verdict(create({ mode }), policyWith({ allowBypassPermissions: true }))).toBeNull()
  })

  it('[T50] says of such a mode what it does, and names no sandbox that goes with it', () => {
    const settings = { mode: 'never', sandbox: 'full-access' } as const
    expect(judgeCommand(policyWith(), create(settings), folders)?.message).toBe(
      'In the mode "never", tools run without asking, and this machine does not allow that.',
    )
  })

  it.each(['default', 'plan', 'acceptEdits', 'on-request', 'untrusted'])('allows the mode %s', (mode) => {
    expect(verdict(create({ mode }))).toBeNull()
  })

  it.each(['a;b', '$(id)', '`id`', 'a\nb', '-p', '--flag=x', 'a b', ''])(
    '[T62] refuses %j as model, mode and role',
    (value) => {
      for (const field of ['model', 'mode', 'thinking', 'roleId'] as const) {
        expect(verdict(create({ [field]: value }))).toEqual({ code: 'INVALID_ARGUMENT' })
      }
    },
  )

  it.each(['claude-sonnet-4-5[1m]', 'openai/gpt-5.1', 'us.anthropic.claude-v1:0'])('allows the model %s', (model) => {
    expect(verdict(create({ model }))).toBeNull()
  })

  it('[T62] refuses tool names that could be flags or shell text', () => {
    for (const tool of ['-x', 'Bash(`id`)', 'Bash($(id))', 'a;b', 'a\nb']) {
      expect(verdict(create({ disallowedTools: [tool] }))).toEqual({ code: 'INVALID_ARGUMENT' })
    }
    expect(verdict(create({ disallowedTools: ['Bash(git push:*)', 'mcp__x__y'] }))).toBeNull()
  })

  it('says which of several folders it does not allow', () => {
    const refusal = (dir: string) =>
      judgeCommand(policyWith(), create({ additionalDirs: ['/code', dir] }), folders)?.message
    expect(refusal('/etc')).toMatch(/^\/etc: The folder is outside the folders this machine allows\./)
    expect(refusal('/gone')).toBe('/gone: There is no such folder on this machine.')
  })

  it('takes tools that run unasked only where the owner accepts rules of the hub', () => {
    expect(verdict(create({ allowedTools: ['Bash'] }))).toEqual({ code: 'POLICY_DENIED', rule: 'acceptHubRules' })
    expect(verdict(create({ allowedTools: ['Bash'] }), policyWith({ acceptHubRules: true }))).toBeNull()
  })

  it('[PERM-12.4] takes rules of a session that allow only where the owner accepts rules of the hub', () => {
    const allowing: PermissionConfig[] = [{ allowPatterns: ['Bash(pnpm:*)'] }, { defaultDecision: 'allow' }]
    const other: PermissionConfig[] = [{}, { disallowPatterns: ['Bash(rm:*)'], defaultDecision: 'deny' }]
    for (const permissionConfig of allowing) {
      expect(verdict(create({ permissionConfig }))).toEqual({ code: 'POLICY_DENIED', rule: 'acceptHubRules' })
      expect(verdict(create({ permissionConfig }), policyWith({ acceptHubRules: true }))).toBeNull()
    }
    for (const permissionConfig of other) expect(verdict(create({ permissionConfig }))).toBeNull()
  })

  it('[PERM-12.3] refuses a pattern that cannot be judged', () => {
    const unreadable = create({ permissionConfig: { disallowPatterns: ['Read(~/x)'] } })
    expect(verdict(unreadable)).toEqual({ code: 'INVALID_ARGUMENT' })
  })

  it('runs only the backends that the policy lists, and any where it lists none', () => {
    const listed = policyWith({ backends: { codex: {} } })
    expect(verdict(create(), listed)).toEqual({ code: 'POLICY_DENIED', rule: 'backends' })
    expect(verdict(create({ backend: 'codex' }), listed)).toBeNull()
    expect(verdict(create({ backend: '../../bin/sh' }))).toEqual({ code: 'INVALID_ARGUMENT' })
    expect(verdict(create({ backend: 'constructor' }), listed)).toEqual({ code: 'POLICY_DENIED', rule: 'backends' })
  })

  it('refuses a backend whose version is outside its range, with the code that says so', () => {
    const rules = {
      ...policyWith({ backends: { claude: { versions: '>=2 <3' } } }),
      wrongVersions: { claude: 'It is 3.' },
    }
    expect(judgeCommand(rules, create(), folders)).toMatchObject({ code: 'BACKEND_VERSION', message: 'It is 3.' })
  })

  it.each([
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'GIT_SSH_COMMAND',
    'CODEX_HOME',
    'HTTPS_PROXY',
    'https_proxy',
    'ANTHROPIC_BASE_URL',
    'PATH',
    'BASH_ENV',
    'CLAUDE_CONFIG_DIR',
    'OPENAI_API_BASE',
    'NPM_CONFIG_REGISTRY',
    'SSL_CERT_FILE',
    'REQUESTS_CA_BUNDLE',
  ])('[A41] [A44] refuses %s from a hub even where the policy lists it', (name) => {
    const denied = { code: 'POLICY_DENIED', rule: 'hubEnvAllow' }
    expect(verdict(create({ env: { [name]: 'x' } }))).toEqual(denied)
    expect(verdict(create({ env: { [name]: 'x' } }), policyWith({ hubEnvAllow: [name] }))).toEqual(denied)
  })

  it('lets a hub set a few harmless variables and those that the policy adds', () => {
    expect(verdict(create({ env: { TZ: 'UTC', LC_ALL: 'C' } }))).toBeNull()
    expect(verdict(create({ env: { FEATURE: '1' } }))).toEqual({ code: 'POLICY_DENIED', rule: 'hubEnvAllow' })
    expect(verdict(create({ env: { FEATURE: '1' } }), policyWith({ hubEnvAllow: ['FEATURE'] }))).toBeNull()
  })

  it.each(['LC_X;id', 'LC_X=1', 'LC_ X', 'LC_X\n', 'LC_Å', 'LC_$(id)', '', '1LC', `LC_${'X'.repeat(200)}`])(
    '[A44] refuses %j, which is no name of a variable, whatever the policy lists',
    (name) => {
      const everything = policyWith({ hubEnvAllow: ['LC_*', '_*'] })
      expect(verdict(create({ env: { [name]: 'x' } }), everything)).toEqual({
        code: 'POLICY_DENIED',
        rule: 'hubEnvAllow',
      })
    },
  )

  it('[A44] hands on no variable of the owner whose name a program may read as more', () => {
    const own = { LC_ALL: 'C', 'LC_X;id': 'x', 'BASH_FUNC_ls%%': '() { id; }' }
    expect(ownerEnvironment(own, ['BASH_FUNC_*'])).toEqual({ LC_ALL: 'C' })
  })

  it('[T65] refuses a prompt over the limit, in bytes', () => {
    expect(verdict(create({}, 'é'.repeat(524_289)))).toEqual({ code: 'PROMPT_TOO_LARGE' })
    expect(verdict(create({}, '-p /etc'))).toBeNull()
  })
})

describe('the real paths of a command', () => {
  it('[T61] sees through links and climbing paths', () => {
    const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-policy-')))
    mkdirSync(path.join(root, 'in'))
    mkdirSync(path.join(root, 'out'))
    writeFileSync(path.join(root, 'out', 'mcp.json'), '{}')
    symlinkSync(path.join(root, 'out'), path.join(root, 'in', 'link'))
    const policy = Policy.parse({ roots: [path.join(root, 'in')], trustProjectConfig: true })
    const judged = (settings: Partial<SessionSettings>) => {
      const asked = create({ workDir: path.join(root, 'in'), ...settings })
      return judgeCommand(policy, asked, resolveRealPaths(pathsOf(asked.body)))?.code ?? 'allowed'
    }
    expect(judged({})).toBe('allowed')
    expect(judged({ workDir: path.join(root, 'in', 'link') })).toBe('PATH_NOT_ALLOWED')
    expect(judged({ workDir: `${root}/in/../out` })).toBe('PATH_NOT_ALLOWED')
    expect(judged({ workDir: `${root}/in/../in` })).toBe('allowed')
    expect(judged({ workDir: `${root}/in/link/mcp.json` })).toBe('PATH_NOT_ALLOWED')
    expect(judged({ mcpConfigPath: `${root}/in/link/mcp.json` })).toBe('PATH_NOT_ALLOWED')
  })
})
