import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type TempDir, tempDir } from '../../../../packages/adapter-testkit/src/temp-dir'
import { createRedactor } from '../redact/redactor'
import { makeAsk } from './ask'

const disk = vi.hoisted(() => ({ looks: 0 }))
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  const counted = <F extends (...args: never[]) => unknown>(look: F) =>
    ((...args: Parameters<F>) => {
      disk.looks += 1
      return look(...args)
    }) as F
  const { statSync, lstatSync, readlinkSync, realpathSync } = fs
  return {
    ...fs,
    statSync: counted(statSync),
    lstatSync: counted(lstatSync),
    readlinkSync: counted(readlinkSync),
    realpathSync: counted(realpathSync),
  }
})

let dir: TempDir
beforeEach(() => {
  dir = tempDir('looks')
})
afterEach(() => dir.remove())

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
  expect(twice).toBeLessThan(some * 2.2)
})

it('[PERM-5] what the model says about its command makes nobody look again', () => {
  const part = (n: number) => `cat a${n}; `
  expect(looksFor(part, 100, { description: 'Reads' })).toBe(looksFor(part, 100))
})
