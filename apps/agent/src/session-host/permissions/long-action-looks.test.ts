import { randomBytes } from 'node:crypto'
import fs, { mkdirSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { createRedactor } from '../../redact/redactor'
import { makeAsk } from './ask'

const looks = ['statSync', 'lstatSync', 'readlinkSync', 'realpathSync'] as const
const original = Object.fromEntries(looks.map((name) => [name, fs[name]]))
const disk = { looks: 0 }

let dir: TempDir
beforeEach(() => {
  dir = tempDir('looks')
  for (const name of looks) {
    const look = fs[name] as (...args: unknown[]) => unknown
    const counted = (...args: unknown[]) => {
      disk.looks += 1
      return look(...args)
    }
    Object.assign(fs, { [name]: Object.assign(counted, look) })
  }
  syncBuiltinESMExports()
})
afterEach(() => {
  Object.assign(fs, original)
  syncBuiltinESMExports()
  dir.remove()
})

/** To ask about a command of so many parts. */
function looksFor(part: (n: number) => string, parts: number, more: object = {}): number {
  const input = { command: Array.from({ length: parts }, (_, n) => part(n)).join(''), ...more }
  const workDir = join(dir.path, 'deep', 'down')
  mkdirSync(workDir, { recursive: true })
  const rules = { agentPlaces: [join(dir.path, 'agent')], denyPaths: [join(dir.path, 'denied')] }
  const around = {
    key: randomBytes(32),
    redact: createRedactor([]),
    roots: [dir.path],
    workDir,
    folders: [workDir],
    rules,
    mayMode: () => true,
  }
  disk.looks = 0
  makeAsk({ callId: 'k1', toolName: 'Bash', input }, { requestId: 'r1', procId: 'p1' }, { askedAt: 1_000 }, around)
  return disk.looks
}

it.each([
  ['names', (n: number) => `cat a${n}; `],
  ['names above', (n: number) => `cat ../a${n}; `],
  ['names in folders above', (n: number) => `cat ../../b/a${n} > c${n}; `],
  ['spellings of the folder above', (n: number) => `ls ..${'/.'.repeat(n)}; `],
])('[T41] [PERM-8] the looks at the disk grow with the %s in a command, and no faster', (_what, part) => {
  const [some, twice] = [looksFor(part, 100), looksFor(part, 200)]
  expect(some).toBeGreaterThan(0)
  expect(twice).toBeLessThan(some * 2.2)
})

it('[PERM-5.14] what the model says about its command makes nobody look again', () => {
  const part = (n: number) => `cat a${n}; `
  expect(looksFor(part, 100, { description: 'Reads' })).toBe(looksFor(part, 100))
})
