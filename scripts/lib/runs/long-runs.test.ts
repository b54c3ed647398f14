import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { listFiles } from '../common/files.mjs'
import { inRoot } from '../common/paths.mjs'
import { readQuotedTitles } from '../house/rule-coverage.mjs'
import { longRuns } from './long-runs.mjs'

describe('what npm test leaves to npm run matrix', () => {
  const played = [...(longRuns.matrix?.units ?? []), ...(longRuns.matrix?.commands ?? [])].flat()

  it('is played there: every test, suite and story that asks which of the two runs', () => {
    const asking = listFiles().filter(
      (name: string) =>
        /\.(test|suite|spec)\.tsx?$/.test(name) &&
        /from '.*\/(variation|whole-matrix)(\.mjs)?'/.test(readFileSync(inRoot(name), 'utf8')),
    )

    expect(asking).toEqual(expect.arrayContaining(['e2e/faults/erasing.test.ts', 'e2e/stories/grants.spec.ts']))
    const ofSuites = ['e2e/real/kill-matrix-codex.test.ts', 'e2e/real/resume-ladder-claude.test.ts']
    expect([...asking, ...ofSuites].filter((name: string) => !played.some((part) => name.includes(part)))).toEqual([])
  })

  it('is no rule’s only test: what a variation quotes does not count', () => {
    const source =
      "it('[RES-1] stays', play)\nvariation('[RES-2] is longer', play)\nvariations('[RES-3] of many', () => { it('[RES-4] each', play) })\nit('[RES-5] stays', play)"

    expect(readQuotedTitles('a.test.ts', source).flatMap(({ rules }) => rules)).toEqual(['RES-1', 'RES-5'])
  })
})
