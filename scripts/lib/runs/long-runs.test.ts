import { describe, expect, it } from 'vitest'
import { listFiles } from '../common/files.mjs'
import { readQuotedTitles } from '../house/rule-coverage.mjs'
import { filesThatVary, longRuns } from './long-runs.mjs'

describe('what npm test leaves to npm run matrix', () => {
  it('is played there: every file that asks which of the two runs', () => {
    const played = [...(longRuns.matrix?.units ?? []), ...(longRuns.matrix?.commands ?? [])].flat()

    expect(filesThatVary('e2e')).toEqual(expect.arrayContaining(['faults/erasing.test.ts', 'real/resume-ladder']))
    expect(played).toEqual(expect.arrayContaining(filesThatVary('apps', 'packages', 'e2e')))
  })

  it('lies where it looks', () => {
    const elsewhere = listFiles().filter(
      (name: string) => /\.(test|suite)\.ts$/.test(name) && !/^(apps|packages|e2e|scripts)\//.test(name),
    )

    expect(elsewhere).toEqual([])
  })

  it('is no rule’s only test: what a variation quotes does not count', () => {
    const source =
      "it('[RES-1] stays', play)\nvariation('[RES-2] is longer', play)\nvariations('[RES-3] of many', () => { it('[RES-4] each', play) })\nit('[RES-5] stays', play)"

    expect(readQuotedTitles('a.test.ts', source).flatMap(({ rules }) => rules)).toEqual(['RES-1', 'RES-5'])
  })
})
