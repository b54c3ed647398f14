// How long a frame takes from the program to the client of the bridge, beside the program alone, after a build:
//   node bench/bridge.mjs [frames] [turns]
// A program that speaks Claude Code's language prints frames that say when they were printed: 50 a second, and as many as it can.
// Where the pinned Claude Code is installed, whole turns of it are measured as well, on a scripted model. Prints one Markdown table;
// no figure makes the command fail.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { claudeEnvironment } from '../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../e2e/real-backends/model-servers/anthropic.mjs'
import { machine } from './lib/machine.mjs'
import { cells, ms } from './lib/markdown.mjs'
import { BURST, measurePrinter, measureTurns } from './scenarios/bridge.mjs'

const [frames = 500, turns = 20] = process.argv.slice(2).map(Number)
const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'roundhouse-bridge-bench-')))
const print = (...row) => console.log(cells(row))
const compare = (name, a, b, target) => print(name, ms(a), ms(b), ms(b - a), target)

try {
  const { direct, through } = await measurePrinter(root, frames)
  console.log(`${machine()}\n`)
  print(`${frames} frames, 50 a second`, 'program alone', 'through the bridge', 'added', 'target')
  print('---', '---', '---', '---', '---')
  compare('program’s frame to client, p50', direct.p50, through.p50, '<= 5 ms')
  compare('the same, p99', direct.p99, through.p99, '')
  print(`burst of ${BURST} frames`, `${Math.round(direct.rate)}/s`, `${Math.round(through.rate)}/s`, '', '')
  print('resident memory of the bridge, one session', '-', `${Math.round(through.memory)} MB`, '', '')
  const { claude } = await findRealBackends('claude')
  if ('skipped' in claude) console.log(`\nWhole turns of Claude Code were not measured: ${claude.skipped}`)
  else await wholeTurns(claude)
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}

async function wholeTurns({ bin, version }) {
  const model = await startAnthropicModel()
  const { workDir, env, remove } = claudeEnvironment(model.url)
  try {
    const { direct, through } = await measureTurns(bin, { root, cwd: workDir, env }, turns)
    compare(`a turn of Claude Code ${version}, p50 of ${turns}`, direct, through, '')
  } finally {
    await model.close()
    remove()
  }
}
