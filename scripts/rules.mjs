// node scripts/rules.mjs [--check]: writes docs/rule-coverage.md, or says that it is stale; and writes which test quotes which rule.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { listFiles } from './lib/common/files.mjs'
import { inRoot } from './lib/common/paths.mjs'
import {
  findMisplacedSubRules,
  findUnknownRules,
  readQuotedTitles,
  readRowIds,
  readRuleIds,
  readSubRuleIds,
  renderCoverage,
  renderGaps,
} from './lib/house/rule-coverage.mjs'

const page = 'docs/rule-coverage.md'
const read = (name) => (existsSync(inRoot(name)) ? readFileSync(inRoot(name), 'utf8') : '')

const lists = [
  { source: 'protocol.md', noun: 'rules', readIds: readRuleIds, readSubIds: readSubRuleIds },
  { source: 'acceptance.md', noun: 'rows', readIds: readRowIds, readSubIds: () => [] },
].map((list) => {
  const text = read(`docs/${list.source}`)
  return { ...list, ids: list.readIds(text), subIds: list.readSubIds(text) }
})

const titles = listFiles()
  .filter((name) => /\.(test|spec|suite)\.(ts|tsx)$/.test(name) && !name.endsWith('rule-coverage.test.ts'))
  .sort()
  .flatMap((name) => readQuotedTitles(name, read(name)))

const stated = lists.flatMap(({ ids, subIds }) => [...ids, ...subIds])
const faults = lists.filter(({ ids }) => ids.length === 0).map(({ source, noun }) => `${source} states no ${noun}`)
if (faults.length === 0) {
  faults.push(...findMisplacedSubRules(read('docs/protocol.md')), ...findUnknownRules(stated, titles))
}
if (faults.length === 0) {
  const text = renderGaps(lists, titles)
  if (!process.argv.includes('--check')) writeFileSync(inRoot(page), text)
  else if (read(page) !== text) faults.push(`${page} is out of date: npm run rules`)
  mkdirSync(inRoot('test-results/rules'), { recursive: true })
  for (const { noun, ids, subIds, source } of lists) {
    const text = renderCoverage([...ids, ...subIds], titles, { noun, source })
    writeFileSync(inRoot(`test-results/rules/${noun}.md`), text)
  }
}
console.log(faults.length === 0 ? 'the page of rules and tests is up to date' : faults.join('\n'))
process.exitCode = faults.length === 0 ? 0 : 1
