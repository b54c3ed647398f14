import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ownerEnvironment, programEnvironment } from './environment'
import { policyDigest, summarizePolicy } from './policy'
import { PolicyStore } from './policy-store'
import { allowFolder, realRoots } from './real-roots'

let base: string
let store: PolicyStore
let file: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-policy-')))
  mkdirSync(path.join(base, 'agent/config'), { recursive: true })
  mkdirSync(path.join(base, 'code'))
  file = path.join(base, 'agent/config/policy.json')
  store = new PolicyStore(file, path.join(base, 'agent'), realRoots)
})
afterEach(() => rmSync(base, { recursive: true }))
const allow = (folder: string) => allowFolder(store, path.join(base, 'agent'), folder)
const codeOf = (action: () => unknown): string => {
  try {
    action()
    return 'no error'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'another error'
  }
}

describe('the policy file', () => {
  it('is careful where nothing was written', () => {
    expect(store.current()).toEqual({
      version: 1,
      roots: [],
      maxSandbox: 'workspace-write',
      allowBypassPermissions: false,
      acceptHubRules: false,
      trustProjectConfig: false,
      denyTools: [],
      denyPaths: [],
      envAllow: [],
      hubEnvAllow: [],
      orphans: 'end',
      limits: {
        runningSessions: 4,
        keepMs: 604_800_000,
        keepSessionBytes: 67_108_864,
        keepAgentBytes: 2_147_483_648,
        backlogBytes: 536_870_912,
      },
    })
  })

  it('takes a folder by its real path, once', () => {
    symlinkSync(path.join(base, 'code'), path.join(base, 'link'))
    expect(allow(path.join(base, 'link'))).toEqual({ root: path.join(base, 'code'), added: true })
    expect(allow(path.join(base, 'code'))).toEqual({ root: path.join(base, 'code'), added: false })
    expect(JSON.parse(readFileSync(file, 'utf8')).roots).toEqual([path.join(base, 'code')])
  })

  it('refuses to allow a folder that holds the policy and the key', () => {
    expect(codeOf(() => allow(base))).toBe('PATH_NOT_ALLOWED')
    expect(codeOf(() => allow('/'))).toBe('PATH_NOT_ALLOWED')
    expect(codeOf(() => allow(path.join(base, 'agent')))).toBe('PATH_NOT_ALLOWED')
    expect(codeOf(() => allow(path.join(base, 'nothing')))).toBe('INVALID_ARGUMENT')
  })

  it('is read again when the owner changed it', () => {
    const before = policyDigest(store.current())
    writeFileSync(file, JSON.stringify({ roots: [path.join(base, 'code')], maxSandbox: 'read-only' }))
    expect(store.current().maxSandbox).toBe('read-only')
    const narrower = policyDigest(store.current())
    expect(narrower).not.toBe(before)
    writeFileSync(file, JSON.stringify({ ...store.current(), programs: { kilo: { argv: ['/opt/kilo'] } } }))
    expect(policyDigest(store.current())).not.toBe(narrower)
    expect(summarizePolicy(store.current())).toContain('programs: kilo (generic)')
  })

  it('allows nothing while it cannot be understood, and recovers when it is mended', () => {
    for (const text of [
      '{',
      '{"maxSandbox":"everything"}',
      '{"roots":["relative"]}',
      '{"rotos":[]}',
      '{"roots":["/"]}',
    ]) {
      writeFileSync(file, text)
      expect(
        codeOf(() => store.current()),
        text,
      ).toBe('POLICY_DENIED')
    }
    writeFileSync(file, '{"roots":[]}')
    expect(store.current().roots).toEqual([])
  })
})

describe('the environment of programs', () => {
  it("[A41] [A44] is the owner's, cut to the list", () => {
    const own = {
      PATH: '/bin',
      HOME: '/root',
      LC_ALL: 'C',
      ANTHROPIC_API_KEY: 'k',
      NODE_OPTIONS: '--inspect',
      LD_PRELOAD: 'x',
      AWS_SECRET: 's',
      HTTPS_PROXY: 'p',
      EXTRA_ONE: '1',
      UNSET: undefined,
      OPENCODE_CONFIG: 'o',
      XDG_DATA_HOME: '/data',
      XDG_RUNTIME_DIR: '/run',
      GOOGLE_GENAI_USE_VERTEXAI: 'true',
      GOOGLE_APPLICATION_CREDENTIALS: '/key.json',
    }
    expect(ownerEnvironment(own, [])).toEqual({
      PATH: '/bin',
      HOME: '/root',
      LC_ALL: 'C',
      ANTHROPIC_API_KEY: 'k',
      OPENCODE_CONFIG: 'o',
      XDG_DATA_HOME: '/data',
      GOOGLE_GENAI_USE_VERTEXAI: 'true',
    })
    expect(ownerEnvironment(own, ['EXTRA_*', 'HTTPS_PROXY'])).toMatchObject({ EXTRA_ONE: '1', HTTPS_PROXY: 'p' })
  })

  it('[PERM-10.7] lets git obey no bare repository that it only finds, beside what the owner has told git', () => {
    const bare = path.join(base, 'code/bare')
    const own = { PATH: process.env.PATH, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'a.b', GIT_CONFIG_VALUE_0: 'one' }
    const git = (env: Record<string, string>, ...args: string[]) =>
      spawnSync('git', args, { cwd: bare, env, encoding: 'utf8' })
    mkdirSync(bare)
    git(ownerEnvironment(own, []), 'init', '-q', '--bare', '.')
    expect(git(ownerEnvironment(own, []), 'rev-parse', '--git-dir').stdout).toBe('.\n')

    const told = programEnvironment({ ...own, GIT_CONFIG_PARAMETERS: "'c.d=two'" }, ['GIT_CONFIG_*'])
    expect(git(told, 'rev-parse', '--git-dir').stderr).toContain('cannot use bare repository')
    expect(git(told, '--git-dir=.', 'config', 'a.b').stdout).toBe('one\n')
    expect(git(told, '--git-dir=.', 'config', 'c.d').stdout).toBe('two\n')
    expect(git(programEnvironment(own, []), '-c', 'e.f=g', 'rev-parse').stderr).toContain('cannot use bare repository')
  })
})
