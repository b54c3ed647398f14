import type { SpawnOptions } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { type ProfileName, profiles } from '../profiles'
import { bareEnvironment, type LaunchPlace, planLaunch, refuseUnsupported } from './launch'
import type { AcpProgram } from './program'

const programOf = (name: ProfileName, argv?: AcpProgram['argv']): AcpProgram => ({
  kind: name,
  label: name,
  profile: profiles[name],
  ...(argv ? { argv } : {}),
})
const place = { env: {}, tmpDir: '/scratch/t', trustProjectConfig: false, instructions: undefined }
const options = (more: Partial<SpawnOptions> = {}): SpawnOptions => ({ sessionId: 's', ...more })
const launch = (name: ProfileName, more: Partial<SpawnOptions> = {}, at: Partial<LaunchPlace> = {}) =>
  planLaunch(options(more), programOf(name), { ...place, ...at })
const permissions = (more: Partial<SpawnOptions> = {}) =>
  JSON.parse(launch('opencode', more).env.OPENCODE_PERMISSION ?? '')

describe('the guard', () => {
  it('stands over the environment of the owner and of the session', () => {
    const env = { OPENCODE_PERMISSION: '{"*":"allow"}', OPENCODE_CONFIG_CONTENT: '{}', PATH: '/bin' }
    const { env: got } = launch('opencode', { env: { COLOUR: 'red' } }, { env })
    expect(got).toEqual({
      PATH: '/bin',
      COLOUR: 'red',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_PERMISSION: expect.stringContaining('"bash":"ask"'),
      TMPDIR: '/scratch/t',
      ROUNDHOUSE_ACP: '/scratch/t',
    })
  })

  it('is the same where a program is only asked what it is', () => {
    const got = bareEnvironment(profiles.opencode, { OPENCODE_PERMISSION: '{"*":"allow"}' }, '/scratch/t')
    expect(got.OPENCODE_PERMISSION).toContain('"bash":"ask"')
    expect(got.OPENCODE_DISABLE_PROJECT_CONFIG).toBe('1')
    const gemini = bareEnvironment(profiles.gemini, { GEMINI_CLI_TRUST_WORKSPACE: 'true' }, '/scratch/t')
    expect(gemini).toEqual({
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_PTY_INFO: 'child_process',
      GEMINI_CLI_TRUST_WORKSPACE: 'false',
      TMPDIR: '/scratch/t',
    })
  })

  it('lets in what a repository configures only where the policy trusts it, and asks all the same', () => {
    const { env } = launch('opencode', {}, { trustProjectConfig: true })
    expect(env.OPENCODE_DISABLE_PROJECT_CONFIG).toBeUndefined()
    expect(env.OPENCODE_PERMISSION).toContain('"bash":"ask"')
  })

  it('never hands a session to a repository of Gemini, and starts Qwen in a mode that asks', () => {
    const env = { GEMINI_CLI_TRUST_WORKSPACE: 'true' }
    expect(launch('gemini', {}, { env }).env.GEMINI_CLI_TRUST_WORKSPACE).toBe('false')
    expect(launch('gemini', {}, { env, trustProjectConfig: true }).env.GEMINI_CLI_TRUST_WORKSPACE).toBeUndefined()
    expect(launch('qwen').args).toEqual(['--acp', '--approval-mode', 'default'])
  })

  it('lets no repository of Qwen name tools that run unasked, also where its owner trusted the folder', () => {
    const config = profiles.qwen.launch?.privateConfig
    const owners = { security: { auth: { selectedType: 'openai' } }, telemetry: { enabled: false } }
    const of = (trustProjectConfig: boolean) =>
      config?.of({
        options: options(),
        workDir: '/code',
        tmpDir: '/scratch/t',
        deny: undefined,
        owners,
        trustProjectConfig,
      })
    expect(config?.variable).toBe('QWEN_CODE_SYSTEM_SETTINGS_PATH')
    expect(of(false)).toEqual({
      ...owners,
      security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: true } },
    })
    expect(of(true)).toEqual(owners)
    expect(launch('qwen').env.QWEN_CODE_TRUSTED_FOLDERS_PATH).toBe('/dev/null/none')
    expect(launch('qwen', {}, { trustProjectConfig: true }).env.QWEN_CODE_TRUSTED_FOLDERS_PATH).toBeUndefined()
  })

  it('gives Gemini its rules, and no other program', () => {
    const at = { rules: '/scratch/t/rules.toml' }
    expect(launch('gemini', {}, at).args).toEqual(['--acp', '--admin-policy', '/scratch/t/rules.toml'])
    for (const name of ['opencode', 'qwen', 'generic'] as const)
      expect(launch(name, {}, at).args).not.toContain('--admin-policy')
  })

  it('offers no mode that never asks', () => {
    const codes = Object.values(profiles).flatMap(({ modes }) => modes.map(({ code }) => code))
    expect(codes.filter((code) => /auto|yolo|bypass|full/i.test(code))).toEqual([])
    for (const mode of ['yolo', 'autoEdit']) {
      expect(() => refuseUnsupported(options({ mode }), programOf('gemini'))).toThrow(/no mode/)
    }
  })

  it.each([
    ['opencode', 'OPENCODE_PERMISSION'],
    ['gemini', 'GEMINI_CLI_TRUST_WORKSPACE'],
    ['qwen', 'QWEN_CODE_TRUSTED_FOLDERS_PATH'],
    ['generic', 'HOME'],
  ] as const)('of %s is not a session’s to change: %s', (name, variable) => {
    expect(() => refuseUnsupported(options({ env: { [variable]: '1' } }), programOf(name))).toThrow(/owner/)
  })
})

describe('permissions of OpenCode', () => {
  it('the star is first, since the last that matches holds', () => {
    expect(Object.keys(permissions())[0]).toBe('*')
    expect(permissions()).toMatchObject({ '*': 'ask', bash: 'ask', edit: 'ask', read: 'ask' })
  })

  it('what the policy denies is denied by every name that the program may have for it', () => {
    const deny = { tools: ['webfetch'], paths: ['/home/w/secret', '/elsewhere'] }
    const { env } = planLaunch(options({ workDir: '/home/w' }), programOf('opencode'), { ...place, deny })
    const got = JSON.parse(env.OPENCODE_PERMISSION ?? '')
    expect(got).toMatchObject({ webfetch: 'deny', grep: 'ask', glob: 'ask' })
    expect(Object.keys(got.read)).toEqual([
      '*',
      ...['/home/w/secret', 'secret', 'w/secret', 'home/w/secret'].flatMap((name) => [name, `${name}/*`]),
    ])
    expect(permissions({ workDir: '/home/w' }).read).toBe('ask')
  })

  it('a list of tools, more folders and a sandbox are said in it, and a denial stands over an allowance', () => {
    expect(permissions({ allowedTools: ['bash', 'write'], disallowedTools: ['bash'] })).toMatchObject({
      bash: 'deny',
      edit: 'allow',
    })
    expect(permissions({ additionalDirs: ['/other'] }).external_directory).toEqual({ '*': 'ask', '/other/*': 'allow' })
    expect(permissions({ sandbox: 'read-only', allowedTools: ['bash'] })).toMatchObject({ bash: 'deny', edit: 'deny' })
  })
})

describe('what a program does not take', () => {
  it.each([
    ['gemini', { mcpConfigPath: '/m.json' }],
    ['gemini', { allowedTools: ['x'] }],
    ['generic', { additionalDirs: ['/x'] }],
    ['generic', { mode: 'any' }],
    ['opencode', { thinking: 'low' }],
    ['opencode', { sandbox: 'full-access' }],
  ] as const)('%s refuses %j', (name, more) => {
    expect(() => refuseUnsupported(options(more as Partial<SpawnOptions>), programOf(name))).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED' }),
    )
  })

  it('a limit of the answer is never refused', () => {
    for (const name of Object.keys(profiles) as ProfileName[]) {
      expect(() => refuseUnsupported(options({ maxOutputTokens: 8_000 }), programOf(name))).not.toThrow()
    }
  })
})

it('a program of the policy is started as the policy says', () => {
  const program = programOf('generic', ['/opt/kilo', 'acp', '--stdio'])
  expect(planLaunch(options(), program, place).args).toEqual(['acp', '--stdio'])
})
