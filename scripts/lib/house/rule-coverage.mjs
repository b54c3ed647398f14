// Finds which test title quotes which numbered rule of the protocol and which row of the acceptance list. Pure: takes texts,
// returns a page.
import { parseSync, Visitor } from 'rolldown/utils'

const anyId = /\b(?:[A-Z]{2,8}-\d{1,3}(?:\.\d{1,2})?|[AFTI]\d{1,2})\b/g
const testWords = new Set(['it', 'test', 'describe', 'story'])
/** What only `npm run matrix` plays: it is nobody's only test. */
const variationWords = new Set(['variation', 'variations', 'variationsUnless'])

/** The ids that the protocol states as rules: `- **LOG-1** ...`; a mention elsewhere is not a statement. */
export function readRuleIds(protocol) {
  return [...protocol.matchAll(/\*\*([A-Z]{2,8}-\d{1,3})\*\*/g)].map((match) => match[1])
}

/** The ids of the sentences below a rule: `  - **LOG-1.2** ...`. */
export function readSubRuleIds(protocol) {
  return [...protocol.matchAll(/\*\*([A-Z]{2,8}-\d{1,3}\.\d{1,2})\*\*/g)].map((match) => match[1])
}

/** Sentences that do not stand below their own rule, numbered from 1 without a gap. */
export function findMisplacedSubRules(protocol) {
  const expected = { rule: '', next: 1 }
  return [...protocol.matchAll(/\*\*([A-Z]{2,8}-\d{1,3})(?:\.(\d{1,2}))?\*\*/g)].flatMap(([, rule, number]) => {
    if (number === undefined) {
      Object.assign(expected, { rule, next: 1 })
      return []
    }
    const fits = rule === expected.rule && Number(number) === expected.next
    expected.next += 1
    return fits ? [] : [`protocol.md states ${rule}.${number} out of its place`]
  })
}

/** The ids of the rows that the acceptance list states: the first cell of a table's row. */
export function readRowIds(acceptance) {
  return [...acceptance.matchAll(/^\| ([AFTI]\d{1,2}) \|/gm)].map((match) => match[1])
}

function rootWord(callee) {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type === 'MemberExpression') return rootWord(callee.object)
  if (callee.type === 'CallExpression') return rootWord(callee.callee)
  if (callee.type === 'TaggedTemplateExpression') return rootWord(callee.tag)
  return ''
}

function titleOf(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral') return node.quasis.map((part) => part.value.cooked).join('…')
  return null
}

/** Titles of a test file that quote at least one id in square brackets. */
export function readQuotedTitles(fileName, source) {
  const titles = []
  let variations = 0
  new Visitor({
    CallExpression(node) {
      if (variationWords.has(rootWord(node.callee))) variations += 1
      if (variations > 0) return
      const title = testWords.has(rootWord(node.callee)) ? titleOf(node.arguments[0]) : null
      const rules = [...(title ?? '').matchAll(/\[([^\]]*)\]/g)].flatMap((match) => match[1].match(anyId) ?? [])
      if (rules.length > 0) titles.push({ rules: [...new Set(rules)], title, file: fileName })
    },
    'CallExpression:exit'(node) {
      if (variationWords.has(rootWord(node.callee))) variations -= 1
    },
  }).visit(parseSync(fileName, source).program)
  return titles
}

/** Ids that a title quotes and no rule has: a typo, or a removed rule. */
export function findUnknownRules(ruleIds, titles) {
  const known = new Set(ruleIds)
  return titles.flatMap(({ rules, title, file }) =>
    rules.filter((rule) => !known.has(rule)).map((rule) => `${file}: "${title}" quotes ${rule}, which no rule states`),
  )
}

const titleCase = (noun) => `${noun[0].toUpperCase()}${noun.slice(1)}`

/** A title that quotes a sentence of a rule (`LOG-1.2`) quotes the rule, too. */
const quotes = (quoted, id) => quoted === id || quoted.startsWith(`${id}.`)

/** The ids that no title quotes, neither as a whole nor by one of their sentences. */
export function findGaps(ids, titles) {
  const quoted = [...new Set(titles.flatMap(({ rules }) => rules))]
  return [...new Set(ids)].filter((id) => !quoted.some((one) => quotes(one, id)))
}

function countSubIds(subIds, noun, titles) {
  if (subIds.length === 0) return []
  const quoted = subIds.length - findGaps(subIds, titles).length
  return [
    `${quoted} of ${subIds.length} sentences of these ${noun} are quoted by their own number. No test names the other ${subIds.length - quoted}:`,
    `\`test-results/rules/${noun}.md\` lists them. A test of the whole rule may or may not check them.`,
    '',
  ]
}

/** The page that the repository keeps: how many ids are quoted, and which are not. `lists`: `{ noun, source, ids, subIds? }`. */
export function renderGaps(lists, titles) {
  const sections = lists.flatMap(({ noun, source, ids, subIds = [] }) => {
    const gaps = findGaps(ids, titles)
    const all = new Set(ids).size
    return [
      `## ${titleCase(noun)} of [${source}](${source})`,
      '',
      `${all - gaps.length} of ${all} ${noun} are quoted by a test.${gaps.length === 0 ? '' : ' Without a test:'}`,
      '',
      ...gaps.map((id) => `- ${id}`),
      ...(gaps.length === 0 ? [] : ['']),
      ...countSubIds(subIds, noun, titles),
    ]
  })
  return [
    '# Rules and their tests',
    '',
    'Generated by `npm run rules` from the titles of all tests. Do not edit. The command also writes which test quotes which',
    'rule to `test-results/rules`; so does every run of `npm test`.',
    '',
    'A quotation counts a title. It does not show that the test checks all that the rule says.',
    '',
    ...sections,
  ].join('\n')
}

/** Every id with the tests that quote it. `words`: what the ids are called, and where they are stated. */
export function renderCoverage(ruleIds, titles, words) {
  const ids = [...new Set(ruleIds)]
  const line = ({ title, file }) => `- ${title.replaceAll('|', '\\|')} (\`${file}\`)`
  const sections = ids.map((id) => {
    const quoting = titles.filter(({ rules }) => rules.some((quoted) => quotes(quoted, id)))
    return `## ${id}\n\n${[...new Set(quoting.map(line))].sort().join('\n') || 'No test.'}\n`
  })
  const gaps = findGaps(ids, titles)
  return [
    `# ${titleCase(words.noun)} of ${words.source} and the tests that quote them`,
    '',
    ...(gaps.length === 0 ? [] : [`No test quotes these ${gaps.length} by their number: ${gaps.join(', ')}.`, '']),
    sections.join('\n'),
  ].join('\n')
}
