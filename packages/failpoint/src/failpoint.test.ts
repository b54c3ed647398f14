import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FAILPOINTS_VARIABLE, type Failpoints } from './index'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'failpoint-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const module = path.join(import.meta.dirname, 'index.ts')
const program = `import(${JSON.stringify(module)}).then(({ failpoint }) => {
  for (let pass = 1; pass <= 3; pass += 1) {
    try { failpoint('hub.afterInsert'); process.stdout.write(pass + ' ') } catch (error) { process.stdout.write(error.code + ' ') }
  }
})`

function run(points: Failpoints | null) {
  const env = { PATH: process.env.PATH, ...(points ? { [FAILPOINTS_VARIABLE]: JSON.stringify(points) } : {}) }
  const { stdout, signal } = spawnSync(process.execPath, ['--import', 'tsx', '--eval', program], {
    env,
    encoding: 'utf8',
  })
  return { passed: stdout.trim(), signal }
}

describe('a failpoint', () => {
  it('does nothing unless it is named', () => {
    expect(run(null)).toEqual({ passed: '1 2 3', signal: null })
    expect(run({ 'agent.append': { do: 'kill' } })).toEqual({ passed: '1 2 3', signal: null })
  })

  it('kills at its pass, and with a mark only the first of several processes', () => {
    const mark = path.join(folder, 'fired')
    const points: Failpoints = { 'hub.afterInsert': { do: 'kill', at: 2, mark } }
    expect(run(points)).toEqual({ passed: '1', signal: 'SIGKILL' })
    expect(existsSync(mark)).toBe(true)
    expect(run(points)).toEqual({ passed: '1 2 3', signal: null })
  })

  it('fails like a full disk while its file is there', () => {
    const full = path.join(folder, 'full')
    const points: Failpoints = { 'hub.afterInsert': { do: 'full', while: full } }
    expect(run(points).passed).toBe('1 2 3')
    writeFileSync(full, '')
    expect(run(points).passed).toBe('SQLITE_FULL SQLITE_FULL SQLITE_FULL')
  })
})
