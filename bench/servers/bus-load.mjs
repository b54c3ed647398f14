// Loads the bus from a process of its own, so that what is measured meanwhile shares no event loop with it. Takes one line of JSON
// (`port`, `tokens`, `boss`, `rate`), says `loaded` once it publishes, and publishes until stdin ends. The last line is what it did.
import { createInterface } from 'node:readline'
import { Crowd } from '../lib/bus-crowd.mjs'
import { percentiles } from '../lib/util.mjs'
import { pace } from '../scenarios/support.mjs'

const lines = createInterface({ input: process.stdin })
let running = true
lines.once('close', () => {
  running = false
})
const [line] = await new Promise((resolve) => lines.once('line', (...said) => resolve(said)))
const { port, tokens, boss, rate } = JSON.parse(line)
const crowd = await Crowd.enter(port, tokens, boss)
console.log('loaded')
while (running) await pace(rate, 0.5, crowd.senders())
console.log(JSON.stringify({ sent: crowd.sent, heard: crowd.heard, latMs: percentiles(crowd.latencies) }))
process.exit()
