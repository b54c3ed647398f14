// Of all that runs on a person's machine: how programs are started.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { adapterPackages } from '../../../scripts/architecture/adapter-packages'

const root = path.resolve(import.meta.dirname, '../../..')
const read = (name: string) => readFileSync(path.join(root, name), 'utf8')
const folders = [
  'apps/agent/src',
  'packages/owner/src',
  ...['adapter-kit', ...adapterPackages()].map((name) => `packages/${name}/src`),
]
const sources = folders.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/test|testing\//.test(name))
    .map((name) => path.join(folder, name)),
)

describe('programs', () => {
  it('[POL-2.2] [A5] [A7] are started with their arguments as a list: no source lets a shell read them', () => {
    expect(sources.length).toBeGreaterThan(100)
    const imports = sources.flatMap((name) => {
      const found = /import \{([^}]*)\} from 'node:child_process'/.exec(read(name))?.[1] ?? ''
      return found.split(',').flatMap((word) => word.replace('type ', '').trim() || [])
    })
    const harmless = ['spawn', 'execFile', 'execFileSync', 'ChildProcess', 'ChildProcessWithoutNullStreams']
    expect(imports.filter((word) => !harmless.includes(word))).toEqual([])
    expect(imports).toContain('spawn')
    const others = /child_process(?!')|\bshell: ?(?:true|['"`])|\brequire\(['"`]/
    expect(sources.filter((name) => others.test(read(name)))).toEqual([])
  })

  it('[POL-2] the one shell runs a script that is written down, with values as its parameters alone', () => {
    const shells = sources.filter((name) => /['"`](?:\/bin\/)?(?:sh|bash|zsh|cmd\.exe)['"`]/.test(read(name)))
    expect(shells).toEqual([path.join('apps/agent/src', 'processes/guard.ts')])
    const [script = ''] = /^const script = (.*)$/m.exec(read(shells[0] ?? ''))?.slice(1) ?? []
    expect(script).toMatch(/^'[^'`]*'$/)
    expect(script.match(/"\$\d"|\$\d/g)).toEqual(['"$1"', '"$2"', '"$3"', '"$4"', '"$5"'])
  })

  it('[A27] are started in one place for each kind of program, so that no second one can forget a rule', () => {
    const starts = sources.filter((name) => /from 'node:child_process'/.test(read(name)))
    expect(starts.sort()).toEqual([
      // What asks a backend, what looks at folders, the session host, what reads marks, the guard, and what tells processes apart where there is no /proc.
      'apps/agent/src/daemon/looks/backend-asker.ts',
      'apps/agent/src/daemon/looks/look-thread.ts',
      'apps/agent/src/daemon/looks/path-looker.ts',
      'apps/agent/src/host-contract/launch.ts',
      'apps/agent/src/processes/guard.ts',
      'apps/agent/src/processes/mark-reader.ts',
      'apps/agent/src/processes/tell-marks.ts',
      // Each backend's program, and its version.
      'packages/adapter-kit/src/child/child-program.ts',
      'packages/adapter-kit/src/program/ask-version.ts',
      'packages/adapter-scripted/src/player/faults.ts',
      'packages/owner/src/process-identity.ts',
      'packages/owner/src/process-table.ts',
    ])
    const calls = starts.map((name) => [...read(name).matchAll(/(?<![.\w])(?:spawn|execFile|execFileSync)\(/g)].length)
    expect(calls).toEqual(starts.map(() => 1))
  })
})
