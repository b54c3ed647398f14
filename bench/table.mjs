// Formats the results as one Markdown table. A figure is the median of its repetitions; a failed run says so, with its
// reason below.
import { median } from './lib/util.mjs'
import { runsOf } from './plan.mjs'

const head = ['', 'figure', 'Roundhouse', 'floor', 'peer', 'against the floor', 'against the peer', 'target']

/** @param results Map of run -> Map of target -> list of results */
export function table(rows, targets, results) {
  const lines = rows.map((row) => {
    const [ours, floor, peer] = targets.map((target) => figureOf(row, target, results))
    const cells = [ours, floor, peer].map((figure) => show(figure, row.unit))
    return [row.id, row.name, ...cells, ratio(ours, floor), ratio(ours, peer), row.target]
  })
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** A number, `'FAILED'`, or undefined where it was not measured. */
function figureOf(row, target, results) {
  const perRun = runsOf(row).map((run) => results.get(run)?.get(target) ?? [])
  if (perRun.some((list) => list.length === 0)) return undefined
  const figures = perRun[0].flatMap((_, rep) => {
    const ofRep = perRun.map((list) => list[rep])
    return ofRep.some((result) => result.error) ? [] : [row.figure(...ofRep)]
  })
  return median(figures) ?? 'FAILED'
}

function show(figure, unit) {
  if (figure === undefined) return '-'
  if (typeof figure === 'string') return figure
  return `${figure.toLocaleString('en', { maximumFractionDigits: Math.abs(figure) < 10 ? 2 : 0 })} ${unit}`
}

const ratio = (a, b) => (typeof a === 'number' && typeof b === 'number' && b > 0 ? `${(a / b).toFixed(2)}x` : '-')

/** One line for each run that failed, and one where others used so much of the machine that the figures say little. */
export function remarks(results) {
  const lines = []
  for (const [run, byTarget] of results) {
    for (const [target, list] of byTarget) {
      const failed = list.find((result) => result.error)
      if (failed) lines.push(`FAILED: ${target}, ${run.scenario}: ${failed.error.split('\n')[0]}`)
      const disturbed = Math.max(0, ...list.map((result) => result.strangerCpuShare ?? 0))
      if (disturbed > 0.1) lines.push(`Disturbed: ${target}, ${run.scenario}: others used ${percent(disturbed)}`)
    }
  }
  return lines
}

const percent = (share) => `${Math.round(share * 100)} % of the machine`
