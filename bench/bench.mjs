// npm run bench [-- --reps 1] [--only P1,P2]: Roundhouse beside the bare floor, and the peer where BENCH_HAPI_BIN names its
// program; the same scenario of all targets back to back, on the production build. Prints one Markdown table.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { median } from './lib/util.mjs'
import { keyOf, rows, runsFor } from './plan.mjs'
import { wholeRows } from './whole.mjs'

const here = import.meta.dirname
const options = { reps: { type: 'string', default: '1' }, only: { type: 'string' } }

export async function runBench(argv) {
  const { values } = parseArgs({ args: argv, options })
  const wanted = values.only?.split(',')
  const chosen = rows.filter((row) => !wanted || wanted.includes(row.id))
  const targets = ['roundhouse', 'floor:socketio:FULL', ...(process.env.BENCH_HAPI_BIN ? ['hapi'] : [])]
  const results = measure(targets, chosen, Number(values.reps))
  const lines = chosen.map((row) => tableLine(row, targets, results))
  const whole = !wanted || wanted.some((id) => ['P1', 'P12'].includes(id)) ? await wholeRows() : []
  console.log(`\n${machine()}\n`)
  console.log(`| | figure | Roundhouse | floor | peer | against the floor | against the peer | target |\n|---|---|---|---|---|---|---|---|`)
  for (const line of [...lines, ...whole]) console.log(line)
}

/** Results by run and target: one list entry a repetition. */
function measure(targets, chosen, reps) {
  const results = new Map()
  const keys = [...new Set(chosen.map(keyOf))]
  for (let rep = 0; rep < reps; rep++) {
    for (const key of keys) {
      for (const target of targets) {
        const run = runsFor(target).get(key)
        const result = runOne(target, run)
        const at = `${key} ${target}`
        results.set(at, [...(results.get(at) ?? []), result])
        console.log(`# ${target} ${run.scenario}: ${result.error ? `FAILED ${result.error}` : 'done'}`)
      }
    }
  }
  return results
}

function runOne(target, { scenario, params }) {
  const args = Object.entries(params).map(([name, value]) => `--p.${name}=${value}`)
  const command = [path.join(here, 'run.mjs'), `--target=${target}`, `--scenario=${scenario}`, '--quiet-wait=20', ...args]
  const pinned = process.platform === 'linux' ? ['taskset', '-c', process.env.BENCH_CLIENT_CORE ?? '1'] : []
  const [program, ...rest] = [...pinned, process.execPath, ...command]
  const child = spawnSync(program, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 64 << 20 })
  const line = child.stdout.trim().split('\n').at(-1)
  return line ? JSON.parse(line) : { error: `ended with ${child.status}` }
}

function tableLine(row, targets, results) {
  const figures = targets.map((target) => {
    const list = results.get(`${keyOf(row)} ${target}`) ?? []
    const values = list.filter((r) => !r.error).map(row.figure)
    return values.length > 0 ? median(values) : null
  })
  const [ours, floor, peer] = figures
  const cells = [row.id, row.name, show(ours, row.unit), show(floor, row.unit), show(peer, row.unit), ratio(ours, floor), ratio(ours, peer), row.target ?? '']
  return `| ${cells.join(' | ')} |`
}

const show = (value, unit) => (value === null || value === undefined ? '-' : `${Number(value.toFixed(value < 10 ? 2 : 0)).toLocaleString('en')} ${unit}`)
const ratio = (a, b) => (!a || !b ? '-' : `${(a / b).toFixed(2)}x`)

function machine() {
  const cpus = os.cpus()
  const memory = Math.round(os.totalmem() / 2 ** 30)
  return `${cpus.length} cores (${cpus[0]?.model.trim()}), ${memory} GiB, Node ${process.versions.node}, ${fs.existsSync('/proc/version') ? 'Linux' : process.platform}, ${new Date().toISOString().slice(0, 10)}`
}

if (process.argv[1] === import.meta.filename) await runBench(process.argv.slice(2))
