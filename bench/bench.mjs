// npm run bench [-- --reps 1] [--only P1,P2]: compares Roundhouse with the floor, and with the peer if BENCH_HAPI_BIN names
// its program. All targets run a scenario one after another, so that ratios come from the same minute on the same machine.
import { parseArgs } from 'node:util'
import { machine } from './lib/machine.mjs'
import { measured } from './lib/measured.mjs'
import { canPin, cores, pinned } from './lib/pin.mjs'
import { rows, runsOf } from './plan.mjs'
import { remarks, table } from './table.mjs'

const options = { reps: { type: 'string', default: '1' }, only: { type: 'string' } }
const RUN_LIMIT_MS = 300_000

export async function runBench(argv) {
  const { values } = parseArgs({ args: argv, options })
  const wanted = values.only?.split(',')
  const chosen = rows.filter((row) => !wanted || wanted.includes(row.id))
  if (chosen.length === 0) throw new Error(`no such row: ${values.only}`)
  const targets = ['roundhouse', 'floor:FULL', ...(process.env.BENCH_HAPI_BIN ? ['hapi'] : [])]
  console.log(measuredOn())
  const results = await measure(targets, [...new Set(chosen.flatMap(runsOf))], Number(values.reps))
  console.log(['', measuredOn(), '', table(chosen, targets, results), '', ...remarks(results)].join('\n'))
}

async function measure(targets, runs, reps) {
  const results = new Map(runs.map((run) => [run, new Map()]))
  for (let rep = 0; rep < reps; rep++) {
    for (const run of runs) {
      for (const target of run.scenario === 'whole' ? ['roundhouse'] : targets) {
        const result = await measureOne(target, run)
        const byTarget = results.get(run)
        byTarget.set(target, [...(byTarget.get(target) ?? []), result])
        console.log(`${target} ${run.scenario}: ${result.error ? `FAILED ${result.error}` : JSON.stringify(result)}`)
      }
    }
  }
  return results
}

const measureOne = (target, { scenario, params, floorParams }) =>
  scenario === 'whole' ? wholeRun() : scenarioRun(target, scenario, params, floorParams)

function scenarioRun(target, scenario, params, floorParams) {
  const all = { ...params, ...(target.startsWith('floor') ? floorParams : {}) }
  const given = Object.entries(all).map(([name, value]) => `--p.${name}=${value}`)
  return start(['run.mjs', `--target=${target}`, `--scenario=${scenario}`, '--quiet-wait=10', ...given])
}

const wholeRun = () => start(['--import', 'tsx', 'whole.ts'])
const start = (args) => measured(pinned(cores.client, [process.execPath, ...args]), { limitMs: RUN_LIMIT_MS })

function measuredOn() {
  const pins = canPin ? `hub on core ${cores.server}, load on core ${cores.client}` : 'nothing pinned to a core'
  return `${machine()}, ${pins}`
}
