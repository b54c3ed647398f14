// node scripts/rules.mjs [--check]: writes the pages that list rules and rows with their tests, or says that one is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { listFiles } from './lib/files.mjs'
import { inRoot } from './lib/paths.mjs'
import { findUnknownRules, readQuotedTitles, readRowIds, readRuleIds, renderCoverage } from './lib/rule-coverage.mjs'

const read = (name) => (existsSync(inRoot(name)) ? readFileSync(inRoot(name), 'utf8') : '')

const lists = [
  { source: 'docs/protocol.md', page: 'docs/protocol-coverage.md', noun: 'rules', readIds: readRuleIds },
  { source: 'docs/acceptance.md', page: 'docs/coverage.md', noun: 'rows', readIds: readRowIds },
].map((list) => ({ ...list, ids: list.readIds(read(list.source)) }))

const titles = listFiles()
  .filter((name) => /\.(test|spec|suite)\.(ts|tsx)$/.test(name) && !name.endsWith('rule-coverage.test.ts'))
  .sort()
  .flatMap((name) => readQuotedTitles(name, read(name)))

const faults = lists.filter(({ ids }) => ids.length === 0).map(({ source, noun }) => `${source} states no ${noun}`)
if (faults.length === 0) {
  faults.push(
    ...findUnknownRules(
      lists.flatMap(({ ids }) => ids),
      titles,
    ),
  )
  for (const { page, ids, ...words } of lists) {
    const text = renderCoverage(ids, titles, words)
    if (!process.argv.includes('--check')) writeFileSync(inRoot(page), text)
    else if (read(page) !== text) faults.push(`${page} is out of date: npm run rules`)
  }
}
console.log(faults.length === 0 ? 'the pages of coverage are up to date' : faults.join('\n'))
process.exitCode = faults.length === 0 ? 0 : 1
