import { describe, expect, it } from 'vitest'
import {
  findUnknownRules,
  readQuotedTitles,
  readRowIds,
  readRuleIds,
  renderCoverage,
  renderGaps,
} from './rule-coverage.mjs'

const protocol = '# Rules\n- **LOG-1** One writer, see ACK-2.\n- **LOG-2** Dense.\n- **ACK-1** Stored.\n'
const tests = [
  "describe('[LOG-1] the log', () => {})",
  "it.each([1, 2])('[LOG-1, ACK-1] %d events', () => {})",
  'test(`[LOG-1] $' + '{kind} is kept`, () => {})',
  "it('LOG-2 without brackets is no quotation', () => {})",
  "note('[LOG-2] not a test')",
].join('\n')

describe('the coverage page', () => {
  const ids = readRuleIds(protocol)
  const titles = readQuotedTitles('a.test.ts', tests)

  it('takes only stated rules, and only titles that quote one in brackets', () => {
    expect(ids).toEqual(['LOG-1', 'LOG-2', 'ACK-1'])
    expect(titles.map(({ title }) => title)).toEqual([
      '[LOG-1] the log',
      '[LOG-1, ACK-1] %d events',
      '[LOG-1] … is kept',
    ])
  })

  it('counts what is quoted, and names what is not', () => {
    const page = renderGaps([{ noun: 'rules', source: 'protocol.md', ids }], titles)
    expect(page).toContain('2 of 3 rules are quoted by a test. Without a test:\n\n- LOG-2\n')
  })

  it('names the tests of each rule', () => {
    const page = renderCoverage(ids, titles, { noun: 'rules', source: 'protocol.md' })
    expect(page).toContain('## LOG-2\n\nNo test.\n')
    expect(page).toContain('## ACK-1\n\n- [LOG-1, ACK-1] %d events (`a.test.ts`)\n')
  })

  it('knows the rows of the acceptance list by their first cell', () => {
    const rows = readRowIds('| # | Fault |\n|---|---|\n| F1 | as F2 |\n| T35 | two |\n')
    expect(rows).toEqual(['F1', 'T35'])
    const quoted = readQuotedTitles('b.test.ts', "it('[F1] [T35] once', () => {})")
    const page = renderGaps([{ noun: 'rows', source: 'acceptance.md', ids: [...rows, 'T36'] }], quoted)
    expect(page).toContain('2 of 3 rows are quoted by a test. Without a test:\n\n- T36\n')
  })

  it('names a title that quotes a rule nobody stated', () => {
    expect(findUnknownRules(['LOG-1'], titles)).toEqual([
      'a.test.ts: "[LOG-1, ACK-1] %d events" quotes ACK-1, which no rule states',
    ])
  })
})
