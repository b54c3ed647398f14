import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../common/paths.mjs'
import { findUninstalled, findUnlinked, makeLinks } from '../setup/install.mjs'
import { isTooOld } from '../setup/node-version.mjs'
import { addUp, closingLine, isGreen, namedLines, nothing, readPlaywrightReport, readVitestReport } from './totals.mjs'

const vitest = (report: object) => ({
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
  ...report,
})

describe('the closing line', () => {
  it('adds up what each runner reports', () => {
    const unit = readVitestReport(vitest({ numPassedTests: 7, numPendingTests: 1 }), 0)
    const stories = readPlaywrightReport({ stats: { expected: 3, unexpected: 1, flaky: 1, skipped: 2 } }, 1)
    expect(closingLine(addUp([unit, stories]))).toBe('11 passed, 1 failed, 3 skipped')
    expect(closingLine(unit)).toBe('7 passed, 0 failed, 1 skipped')
  })

  it('follows the names of what failed and of what passed only at its second try', () => {
    const one = (fullName: string, status: string, failureMessages: string[]) => ({ fullName, status, failureMessages })
    const assertionResults = [
      one('the log', 'passed', []),
      one('the link', 'passed', ['waited']),
      one('the disk', 'failed', ['full']),
    ]
    const unread = { name: inRoot('e2e/faults/unread.test.ts'), status: 'failed', assertionResults: [] }
    const testResults = [{ name: 'a', status: 'failed', assertionResults }, unread]
    const unit = readVitestReport(vitest({ numPassedTests: 2, numFailedTests: 1, testResults }), 1)
    const specs = ['flaky', 'expected', 'unexpected'].map((status) => ({
      title: `a story, ${status}`,
      tests: [{ status }],
    }))
    const stats = { expected: 1, unexpected: 1, flaky: 1, skipped: 0 }
    const stories = readPlaywrightReport({ stats, suites: [{ suites: [{ specs }] }] }, 1)
    const all = addUp([unit, stories])
    expect(closingLine(all)).toBe('4 passed, 3 failed')
    expect(namedLines(all)).toEqual([
      'Passed only at the second try, each a fault to be found:',
      '- the link',
      '- a story, flaky',
      'Failed:',
      '- the disk',
      '- e2e/faults/unread.test.ts',
      '- a story, unexpected',
    ])
    expect(namedLines(nothing)).toEqual([])
  })

  it('counts a file that could not be loaded, a crash and a missing report as failures', () => {
    const broken = vitest({ testResults: [{ name: inRoot('a.test.ts'), status: 'failed', assertionResults: [] }] })
    expect(readVitestReport(broken, 1).failed).toBe(1)
    expect(readVitestReport(vitest({ numPassedTests: 5 }), 1)).toMatchObject({ passed: 5, failed: 1, skipped: 0 })
    expect(readVitestReport(null, 1).failed).toBe(1)
    expect(readPlaywrightReport(null, 0).failed).toBe(1)
    expect(readPlaywrightReport({ stats: { expected: 2, unexpected: 0, flaky: 0, skipped: 0 } }, 1).failed).toBe(1)
  })

  it('is green only when something passed and nothing failed', () => {
    expect(isGreen({ ...nothing, passed: 1, skipped: 9 })).toBe(true)
    expect(isGreen({ ...nothing, skipped: 9 })).toBe(false)
    expect(isGreen({ ...nothing, passed: 9, failed: 1 })).toBe(false)
  })
})

describe('the installed packages', () => {
  const lock = {
    packages: {
      'apps/hub': { version: '1' },
      'node_modules/a': { version: '1' },
      'node_modules/b': { version: '1' },
      'node_modules/b-darwin': { version: '1', optional: true },
      'node_modules/@house/hub': { link: true, resolved: 'apps/hub' },
    },
  }

  it('are those of the lock, another platform’s binaries aside', () => {
    const installed = { packages: { 'node_modules/a': { version: '1' }, 'node_modules/b': { version: '2' } } }
    expect(findUninstalled(lock, installed)).toEqual(['node_modules/b'])
    expect(findUninstalled(lock, { packages: { ...lock.packages, 'node_modules/b-darwin': undefined } })).toEqual([])
  })

  it('of this repository are linked where they are new, also over a link that leads nowhere', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'links-'))
    mkdirSync(path.join(folder, 'apps/hub'), { recursive: true })
    writeFileSync(path.join(folder, 'apps/hub/package.json'), '{}')
    for (let round = 0; round < 2; round += 1) {
      const unlinked = findUnlinked(lock, folder)
      expect(unlinked.length).toBe(1)
      makeLinks(unlinked)
      expect(findUnlinked(lock, folder)).toEqual([])
      const link = path.join(folder, 'node_modules/@house/hub')
      expect(readFileSync(path.join(link, 'package.json'), 'utf8')).toBe('{}')
      rmSync(link)
      symlinkSync('nowhere', link)
    }
    rmSync(folder, { recursive: true })
  })
})

describe('the Node.js version', () => {
  it('is refused below the one that package.json names', () => {
    const least = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')).engines.node.replace('>=', '')
    expect(isTooOld(`${least}.0`)).toBe(false)
    expect(['18.20.8', '20.18.3', '20.19.0', '22.0.0', '24.1.0'].map(isTooOld)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
