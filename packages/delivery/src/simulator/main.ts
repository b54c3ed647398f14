/** `npm run sim -w @roundhouse/delivery -- --seeds 200000 --from 1`: many seeds, the first failures printed with the line that replays them. */
import { replayLine, runSeed } from './simulation'

function option(name: string, fallback: number): number {
  const at = process.argv.indexOf(`--${name}`)
  const value = at < 0 ? fallback : Number(process.argv[at + 1])
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} takes a whole number`)
  return value
}

const from = option('from', 1)
const seeds = option('seeds', 2_000)
const giveUpAfter = option('failures', 10)
const tracing = process.argv.includes('--trace')
const begun = performance.now()
let failures = 0
let done = 0
for (let seed = from; seed < from + seeds && failures < giveUpAfter; seed += 1) {
  const violation = runSeed(seed, { tracing })
  done += 1
  if (!violation) continue
  failures += 1
  console.log(`seed ${seed}: ${violation.message}\n  ${replayLine(seed)}`)
}
const seconds = (performance.now() - begun) / 1_000
console.log(`${done} seeds from ${from}, ${failures} failed, ${seconds.toFixed(1)} s`)
process.exitCode = failures > 0 ? 1 : 0
