// node scripts/rules.mjs [--check]: writes docs/protocol-coverage.md, or says that it is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { listFiles } from './lib/files.mjs'
import { inRoot } from './lib/paths.mjs'
import { findUnknownRules, readQuotedTitles, readRuleIds, renderCoverage } from './lib/rule-coverage.mjs'

const page = 'docs/protocol-coverage.md'
const read = (name) => (existsSync(inRoot(name)) ? readFileSync(inRoot(name), 'utf8') : '')

const ruleIds = readRuleIds(read('docs/protocol.md'))
const titles = listFiles()
  .filter((name) => /\.(test|spec|suite)\.(ts|tsx)$/.test(name) && !/^scripts\//.test(name))
  .sort()
  .flatMap((name) => readQuotedTitles(name, read(name)))
const text = renderCoverage(ruleIds, titles)

const faults = findUnknownRules(ruleIds, titles)
if (ruleIds.length === 0) faults.splice(0, faults.length, 'docs/protocol.md states no rules')
if (ruleIds.length > 0 && !process.argv.includes('--check')) writeFileSync(inRoot(page), text)
else if (read(page) !== text) faults.push(`${page} is out of date: npm run rules`)

console.log(faults.length === 0 ? `${page} is up to date` : faults.join('\n'))
process.exitCode = faults.length === 0 ? 0 : 1
