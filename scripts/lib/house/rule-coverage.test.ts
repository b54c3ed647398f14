import { describe, expect, it } from 'vitest'
import {
  findGaps,
  findMisplacedSubRules,
  findUnknownRules,
  readQuotedTitles,
  readRowIds,
  readRuleIds,
  readSubRuleIds,
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
    expect(page).toContain('No test quotes these 1 by their number: LOG-2.\n')
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

  describe('the sentences of a rule', () => {
    const split = '- **LOG-1** One writer.\n  - **LOG-1.1** One lease.\n  - **LOG-1.2** One file.\n- **LOG-2** Dense.\n'
    const quoting = readQuotedTitles('c.test.ts', "it('[LOG-1.2] one file', () => {})")

    it('are not rules themselves', () => {
      expect(readRuleIds(split)).toEqual(['LOG-1', 'LOG-2'])
      expect(readSubRuleIds(split)).toEqual(['LOG-1.1', 'LOG-1.2'])
    })

    it('stand for their rule when a title quotes one, and are counted by themselves', () => {
      expect(quoting.map(({ rules }) => rules)).toEqual([['LOG-1.2']])
      expect(findGaps(['LOG-1', 'LOG-2'], quoting)).toEqual(['LOG-2'])
      const list = { noun: 'rules', source: 'protocol.md', ids: readRuleIds(split), subIds: readSubRuleIds(split) }
      const page = renderGaps([list], quoting)
      expect(page).toContain('1 of 2 rules are quoted by a test. Without a test:\n\n- LOG-2\n')
      expect(page).toContain(
        '1 of 2 sentences of these rules are quoted by their own number. No test names the other 1:\n',
      )
    })

    it('LOG-1.2 is no quotation of LOG-12 or of LOG-1.20', () => {
      expect(findGaps(['LOG-12', 'LOG-1.20'], quoting)).toEqual(['LOG-12', 'LOG-1.20'])
    })

    it('have to be stated when a title quotes them', () => {
      expect(findUnknownRules(['LOG-1', 'LOG-1.1'], quoting)).toEqual([
        'c.test.ts: "[LOG-1.2] one file" quotes LOG-1.2, which no rule states',
      ])
    })

    it('are numbered from 1 below their own rule', () => {
      expect(findMisplacedSubRules(split)).toEqual([])
      expect(findMisplacedSubRules('- **LOG-1** A\n  - **LOG-1.2** B\n- **LOG-2** C\n  - **LOG-1.1** D\n')).toEqual([
        'protocol.md states LOG-1.2 out of its place',
        'protocol.md states LOG-1.1 out of its place',
      ])
    })
  })
})
