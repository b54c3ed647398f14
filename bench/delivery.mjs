// npm run figures -- delivery: how soon webhooks and a chat hear. Prints one Markdown table. No time makes the command fail; a message
// that is lost, doubled or out of order does.
import { machine } from './lib/machine.mjs'
import { cells, ms } from './lib/markdown.mjs'
import { measured } from './lib/measured.mjs'

const RUN_LIMIT_MS = 600_000
const head = ['figure', 'beside', 'measured', 'ratio', 'target', 'load average']

const compared = (name, beside, figure, target, loads) => [
  name,
  beside === null ? '-' : ms(beside),
  ms(figure),
  beside === null ? '-' : `${(figure / beside).toFixed(2)}x`,
  target,
  loads.map((load) => load.toFixed(1)).join(', '),
]

/** @param {any} costs what `delivery-costs.ts` printed */
function rowsOf({ hooks: { calm, beside }, chat }) {
  const loads = [calm.load, beside.load]
  const at = (q, target) =>
    compared(
      `message to webhook, ${q}: 20 answer, 19 beside one that hangs`,
      calm.latMs[q],
      beside.latMs[q],
      target,
      loads,
    )
  const wrong = (phase) => phase.missing + phase.doubled + phase.outOfOrder
  return [
    at('p50', ''),
    at('p95', '<= 500 ms'),
    at('p99', ''),
    ['missing, doubled, out of order', `${wrong(calm)}`, `${wrong(beside)}`, '-', '0', ''],
    compared('permission request to chat message, p50', null, chat.latMs.p50, '', [chat.load]),
    compared('the same, p95', null, chat.latMs.p95, '<= 1,000 ms', [chat.load]),
  ]
}

export async function runDeliveryFigures() {
  const costs = await measured([process.execPath, '--import', 'tsx', 'delivery-costs.ts'], { limitMs: RUN_LIMIT_MS })
  if (costs.error) {
    console.log(`Delivery was not measured: ${costs.error}`)
    process.exitCode = 1
    return
  }
  const rows = [head, head.map(() => '---'), ...rowsOf(costs)]
  console.log([machine(), '', ...rows.map(cells)].join('\n'))
  const { calm, beside } = costs.hooks
  if ([calm, beside].some((phase) => phase.missing + phase.doubled + phase.outOfOrder > 0)) process.exitCode = 1
}
