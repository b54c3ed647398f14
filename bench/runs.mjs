// npm run figures -- runs: what a run costs over the bare adapter. Prints one Markdown table; no figure makes the command fail.
import { machine } from './lib/machine.mjs'
import { cells, ms } from './lib/markdown.mjs'
import { measured } from './lib/measured.mjs'

const RUN_LIMIT_MS = 600_000
const head = ['figure', 'bare adapter', 'measured', 'difference', 'target']
const TARGET = '<= 50 ms more'

const ways = [
  ['executed', '`AgentRuntime.execute`'],
  ['command', '`roundhouse-agent run`'],
  ['hub', '`POST /runs` of a hub'],
]

/** @param {any} costs what `run-costs.ts` printed */
function rowsOf({ bare, ...costs }) {
  const row = (name, beside, found, target = '') => [name, ms(beside), ms(found), ms(found - beside), target]
  return ways.flatMap(([way, label]) => [
    row(`word of the program to its caller, p50: ${label}`, bare.word.p50, costs[way].word.p50, TARGET),
    row('the same, p95', bare.word.p95, costs[way].word.p95),
    row(`whole run, with its processes, p50: ${label}`, bare.whole.p50, costs[way].whole.p50, TARGET),
  ])
}

export async function runRunFigures() {
  const costs = await measured([process.execPath, '--import', 'tsx', 'run-costs.ts'], { limitMs: RUN_LIMIT_MS })
  if (costs.error) {
    console.log(`The runs were not measured: ${costs.error}`)
    return
  }
  const rows = [head, head.map(() => '---'), ...rowsOf(costs)]
  console.log(
    [`${machine()}, ${costs.rounds} runs each, load average ${costs.load}`, '', ...rows.map(cells)].join('\n'),
  )
}
