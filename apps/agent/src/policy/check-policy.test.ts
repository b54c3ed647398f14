import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkPolicy } from './check-policy'
import { describePolicy } from './describe-policy'
import { Policy, policyDigest } from './policy'
import { PolicyStore } from './policy-store'
import { realRoots } from './real-roots'

let base: string
let home: string
let file: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-check-')))
  home = path.join(base, 'agent')
  mkdirSync(path.join(home, 'config'), { recursive: true, mode: 0o700 })
  mkdirSync(path.join(base, 'code'))
  file = path.join(home, 'config/policy.json')
})
afterEach(() => rmSync(base, { recursive: true }))
const write = (policy: object | string) =>
  writeFileSync(file, typeof policy === 'string' ? policy : JSON.stringify(policy), { mode: 0o600 })
const codes = () => checkPolicy(file, home).map(({ code }) => code)
const allowsNothing = (): boolean => {
  try {
    new PolicyStore(file, home, realRoots).current()
    return false
  } catch {
    return true
  }
}

const gateway = ['acp', '--url', 'ws://127.0.0.1:18789', '--token-file', '/home/ana/token']

describe('[POL-1] the check of the policy file', () => {
  it('finds nothing in one that is sound, or not there', () => {
    expect(codes()).toEqual([])
    write({ roots: [path.join(base, 'code')], backends: { codex: { path: process.execPath, versions: '>=1 <9' } } })
    expect(codes()).toEqual([])
  })

  it('says which program a session could replace, by its own file or by the one that an interpreter runs', () => {
    const code = path.join(base, 'code')
    const inRoot = path.join(code, 'kilo.mjs')
    writeFileSync(inRoot, '')
    symlinkSync(inRoot, path.join(base, 'link.mjs'))
    const program = (...argv: string[]) => write({ roots: [code], programs: { kilo: { argv } } })
    program(path.join(base, 'link.mjs'))
    expect(codes()).toEqual(['PROGRAM_IN_ROOT'])
    program(process.execPath, inRoot, '--acp')
    expect(checkPolicy(file, home)).toEqual([
      {
        code: 'PROGRAM_IN_ROOT',
        text: `The program of kilo is inside the root ${code}: a session could replace it. ${inRoot}`,
      },
    ])
    write({ roots: [code], backends: { codex: { path: inRoot } } })
    expect(codes()).toEqual(['PROGRAM_IN_ROOT'])
    program(process.execPath, code)
    expect(codes()).toEqual([])
  })

  it('takes programs by any name that is no backend of the release, and nothing unknown inside of them', () => {
    const kilo = { argv: [process.execPath, 'acp'], profile: 'generic', label: 'Kilo' }
    write({ backends: { claude: {} }, programs: { kilo, 'my-program': { argv: [process.execPath] } } })
    expect(checkPolicy(file, home)).toEqual([])
    const told = (programs: object, more: object = {}) => {
      write({ programs, ...more })
      expect(allowsNothing()).toBe(true)
      return checkPolicy(file, home).map(({ code, text }) => `${code} ${text}`)
    }
    expect(told({ kilo: { ...kilo, args: [] } })).toEqual(['UNKNOWN_KEY There is no key "programs.kilo.args".'])
    expect(told({ gemini: kilo })).toEqual([expect.stringMatching(/^BAD_VALUE programs\.gemini: .*another name/)])
    expect(told({ 'Kilo 2': kilo })).toEqual([expect.stringMatching(/^BAD_VALUE programs\.Kilo 2: .*small letters/)])
    expect(told({ kilo: { ...kilo, argv: ['kilo', 'acp'] } })).toEqual([
      'BAD_VALUE programs.kilo.argv.0: must be an absolute path',
    ])
    expect(told({ kilo: { ...kilo, argv: 'kilo acp' } })).toEqual(['BAD_VALUE programs.kilo.argv: must be a list'])
    expect(told({ kilo: { ...kilo, profile: 'kilo' } })).toEqual([
      expect.stringContaining('BAD_VALUE programs.kilo.profile'),
    ])
    expect(told({ kilo }, { backends: { kilo: { path: '/opt/kilo' } } })).toEqual([
      'BAD_VALUE backends.kilo.path: is said by the argv of the program already',
    ])
  })

  it('takes the gateway of an owner by its address and the file with its token, and never the token itself', () => {
    const told = (...argv: string[]) => {
      write({ programs: { claw: { argv: [process.execPath, 'acp', ...argv], profile: 'openclaw-gateway' } } })
      return checkPolicy(file, home).map(({ code, text }) => `${code} ${text}`)
    }
    const [, ...named] = gateway
    expect(told(...named)).toEqual([])
    expect(told('--url', 'ws://127.0.0.1:18789', '--token', 'secret')).toEqual([
      'BAD_VALUE programs.claw.argv: must not hold a secret: name its file with "--token-file"',
    ])
    expect(told('--token-file', '/home/ana/token')).toEqual([expect.stringMatching(/must name the gateway/)])
    expect(told('--url', 'ws://127.0.0.1:18789', '--token-file', 'token')).toEqual([
      expect.stringMatching(/must name the file with the token/),
    ])
  })

  it('finds a named program that is not there', () => {
    write({ programs: { kilo: { argv: [path.join(base, 'kilo'), 'acp'] } } })
    expect(codes()).toEqual(['BACKEND_MISSING'])
  })

  it('[POL-6.2] finds a folder of notes that is not there, that sessions could change, or that others could', () => {
    const notes = path.join(base, 'notes')
    const told = (policy: object) => {
      write(policy)
      expect(allowsNothing()).toBe(false)
      return checkPolicy(file, home).map(({ code, text }) => `${code} ${text}`)
    }
    expect(told({ notes })).toEqual([`NOTES_UNUSABLE There is no folder of notes at ${notes}.`])
    mkdirSync(path.join(notes, 'code'), { recursive: true })
    chmodSync(notes, 0o700)
    expect(told({ notes, roots: [path.join(base, 'code')] })).toEqual([])
    for (const root of [notes, path.join(notes, 'code')]) {
      expect(told({ notes, roots: [root] })[0]).toContain(`${notes} overlaps the root ${root}`)
    }
    chmodSync(notes, 0o770)
    expect(told({ notes })).toEqual([`NOTES_UNUSABLE Others may change ${notes}. Mend it: chmod go-w ${notes}`])
  })

  it('says everything at once', () => {
    write({ roots: [], rotos: [], limits: { runningSessions: 0, keep: 1 }, backends: { claude: { versions: '^2' } } })
    expect(codes().sort()).toEqual(['BAD_VALUE', 'BAD_VALUE', 'UNKNOWN_KEY', 'UNKNOWN_KEY'])
    expect(checkPolicy(file, home).map(({ text }) => text)).toContain('There is no key "limits.keep".')
  })

  it('finds what is no JSON, a root that is gone, one that is a file, and a program that is gone', () => {
    write('{')
    expect(codes()).toEqual(['NOT_JSON'])
    write({ roots: [path.join(base, 'gone'), file], backends: { claude: { path: path.join(base, 'claude') } } })
    expect(codes()).toEqual(['ROOT_MISSING', 'ROOT_MISSING', 'BACKEND_MISSING'])
  })

  it.each([
    ['the group may change', 0o620, 0o700],
    ['everybody may change', 0o602, 0o700],
    ['the group may put another in place of', 0o600, 0o720],
    ['everybody may put another in place of', 0o600, 0o702],
  ])('[A42] a file that %s allows nothing and says how to mend it, until that is done', (_what, mode, folderMode) => {
    write({ roots: [] })
    const store = new PolicyStore(file, home, realRoots)
    const place = mode === 0o600 ? path.dirname(file) : file
    expect(store.current().roots).toEqual([])
    chmodSync(file, mode)
    chmodSync(path.dirname(file), folderMode)
    expect(codes()).toEqual(['WRITABLE_BY_OTHERS'])
    expect(() => store.current()).toThrow(`chmod go-w ${place}`)
    expect(() => store.current()).toThrow('allows nothing')
    chmodSync(file, 0o600)
    chmodSync(path.dirname(file), 0o700)
    expect(store.current().roots).toEqual([])
  })

  it('[A42] a file inside a root is found and allows nothing, also where a link leads into the root', () => {
    write({ roots: [base] })
    expect(codes()).toEqual(['POLICY_IN_ROOT'])
    expect(allowsNothing()).toBe(true)
    const inside = path.join(base, 'code/policy.json')
    writeFileSync(inside, JSON.stringify({ roots: [path.join(base, 'code')] }), { mode: 0o600 })
    rmSync(file)
    symlinkSync(inside, file)
    expect(codes()).toContain('POLICY_IN_ROOT')
    expect(allowsNothing()).toBe(true)
  })
})

describe('the policy in plain words', () => {
  it('says every rule, and its digest', () => {
    const policy = Policy.parse({
      roots: ['/code', '/more'],
      backends: { claude: { path: '/opt/claude', versions: '>=2.1 <3' }, codex: {} },
      allowBypassPermissions: true,
      denyTools: ['WebFetch'],
      denyPaths: ['/code/secret'],
      programs: {
        kilo: { argv: ['/opt/my kilo', 'acp'], label: 'Kilo' },
        nightly: { argv: ['/opt/gemini', '--acp'], profile: 'gemini' },
        claw: { argv: ['/opt/claw', ...gateway], profile: 'openclaw-gateway' },
      },
    })
    const text = describePolicy(policy, null).join('\n')
    for (const line of [
      'Paused    no',
      'Folders   /code\n          /more',
      'Backends  claude, /opt/claude, version >=2.1 <3\n          codex, where it is found, any version',
      "Programs  kilo, Kilo, '/opt/my kilo' acp, NOT KNOWN TO ASK before it acts\n          nightly, /opt/gemini --acp, as gemini",
      '          claw, /opt/claw acp --url ws://127.0.0.1:18789 --token-file /home/ana/token, as openclaw-gateway, NOT KNOWN TO ASK before it acts',
      'Sandbox   workspace-write at most',
      'Bypass    ON',
      'Project   not trusted',
      'Denied    tool WebFetch\n          /code/secret',
      'Env, hub  LANG LC_* TZ',
      'Limits    4 programs at once; kept after the hub has them: 7 days, 64 MiB a session',
      `Digest    ${policyDigest(policy)}`,
    ])
      expect(text).toContain(line)
  })

  it('[POL-1] leaves no rule of the policy out', () => {
    const words: Record<keyof Policy, string | null> = {
      version: null,
      roots: 'Folders',
      backends: 'Backends',
      programs: 'Programs',
      maxSandbox: 'Sandbox',
      allowBypassPermissions: 'Bypass',
      acceptHubRules: 'Hub rules',
      trustProjectConfig: 'Project',
      denyTools: 'Denied',
      denyPaths: 'Denied',
      notes: 'Notes',
      envAllow: 'Env, own',
      hubEnvAllow: 'Env, hub',
      orphans: 'Orphans',
      limits: 'Limits',
    }
    const text = describePolicy(Policy.parse({ programs: {} }), 1).join('\n')
    for (const word of Object.values(words)) expect(text).toContain(word ?? '')
    expect(text).toContain('Paused    since 1970-01-01T00:00:00.001Z')
  })
})
