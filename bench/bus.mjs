// npm run figures -- bus [--seconds 60]: how the bus stands up to many peers at once. Prints one Markdown table. No time makes the command
// fail; a message that is lost, doubled or out of order does.
import { parseArgs } from 'node:util'
import { machine } from './lib/machine.mjs'
import { cells, ms } from './lib/markdown.mjs'
import { measured } from './lib/measured.mjs'
import { canPin, cores, pinned } from './lib/pin.mjs'

const RUN_LIMIT_MS = 600_000
const head = ['figure', 'beside', 'measured', 'ratio', 'target', 'load average']
const options = { seconds: { type: 'string', default: '60' } }

const plain = (value) => `${Math.round(value).toLocaleString('en')}`
const perSecond = (value) => `${plain(value)}/s`

/** `beside`: what it is compared with. */
function row(name, beside, figure, show, { target = '', load = [] } = {}) {
  const numbers = typeof beside === 'number' && typeof figure === 'number' && beside > 0
  const cell = (value) => (typeof value === 'number' ? show(value) : (value ?? '-'))
  return [name, cell(beside), cell(figure), numbers ? `${(figure / beside).toFixed(2)}x` : '-', target, load.join(', ')]
}

function crowdRows({ error, params, calm, beside, flooded, stored }) {
  if (error) return [row('many peers at once', undefined, error)]
  const { peers, rate, seconds } = params
  const load = [calm.load, beside.load]
  const at = (q, target) =>
    row(`publish to subscriber, ${q}: alone, beside a flood`, calm.latMs[q], beside.latMs[q], ms, { target, load })
  const count = (name, value, target) => row(name, undefined, value, plain, { target })
  const { codes } = flooded
  return [
    row(`${peers} peers, ${rate}/s each, ${seconds} s: sent a second`, peers * rate, calm.rate, perSecond, { load }),
    at('p50'),
    at('p95', '<= 100 ms'),
    at('p99'),
    row('hub\u2019s processor for 1,000 messages', calm.cpuMsPer1000, beside.cpuMsPer1000, ms, { load }),
    count('sent in all', stored.sent),
    count('stored, as the hub answered', stored.taken, 'all that were sent'),
    count('of these: lost, twice in the table', stored.lost + stored.storedTwice, '0'),
    count('holes between offsets', stored.holes, '0'),
    count('not heard, heard twice, out of order', stored.unheard + stored.heardTwice + stored.outOfOrder, '0'),
    count('refused to the others beside the flood', beside.refused, '0'),
    row('flood: sent, taken a second', flooded.sent / flooded.seconds, (codes.ok ?? 0) / flooded.seconds, perSecond),
    count('flood: answered RATE_LIMITED', codes.RATE_LIMITED ?? 0),
    count('peers named on system.throttled', stored.throttled.length, '1, the one that floods'),
  ]
}

function topRows({ error, params, best, last }) {
  if (error) return [row('highest rate that lasts', undefined, error)]
  const name = `highest rate that lasts, ${params.peers} peers, p95 <= ${params.p95} ms: asked, sent`
  return [
    row(name, undefined, best?.rate ?? 'none', perSecond, { load: [best?.load ?? last.load] }),
    row('p95 at that rate, at the next step', best?.latMs.p95, last.latMs.p95, ms, { load: [last.load] }),
  ]
}

function ingestRows({ error, params, idle, loaded }) {
  if (error) return [row('sessions beside the bus', undefined, error)]
  const load = [idle.load, loaded.load]
  const bus = `bus idle, ${params.peers} x ${params.rate}/s`
  return [
    row(`P1 paced 50/s, p50: ${bus}`, idle.latMs.p50, loaded.latMs.p50, ms, { load }),
    row('the same, p99', idle.latMs.p99, loaded.latMs.p99, ms, { load }),
    row(`P2 burst of ${plain(params.count)}: ${bus}`, idle.eventsPerS, loaded.eventsPerS, perSecond, { load }),
    row('both: events missing', idle.missing + idle.burstMissing, loaded.missing + loaded.burstMissing, plain, {
      target: '0',
    }),
  ]
}

function scenario(name, params = {}) {
  const given = Object.entries(params).map(([key, value]) => `--p.${key}=${value}`)
  const args = ['run.mjs', '--target=roundhouse', `--scenario=${name}`, '--quiet-wait=30', ...given]
  return measured(pinned(cores.client, [process.execPath, ...args]), { limitMs: RUN_LIMIT_MS })
}

export async function runBusFigures(argv) {
  const { values } = parseArgs({ args: argv, options })
  const seconds = Number(values.seconds)
  const crowd = await scenario('bus', { seconds })
  const top = await scenario('busTop', { seconds: Math.min(10, seconds) })
  const ingest = await scenario('busIngest', { seconds: Math.min(10, seconds) })
  const rows = [head, head.map(() => '---'), ...crowdRows(crowd), ...topRows(top), ...ingestRows(ingest)]
  const pins = canPin ? `hub on core ${cores.server}, load on core ${cores.client}` : 'nothing pinned to a core'
  console.log([`${machine()}, ${pins}`, '', ...rows.map(cells)].join('\n'))
  const { lost, storedTwice, holes, heardTwice, outOfOrder } = crowd.stored ?? {}
  if (crowd.error || lost + storedTwice + holes + heardTwice + outOfOrder > 0) process.exitCode = 1
}
