// npm run figures: what the Agent Client Protocol and the bridge cost. Prints one Markdown table; no figure makes the command fail.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { machine } from './lib/machine.mjs'
import { cells, mb, ms } from './lib/markdown.mjs'
import { measured } from './lib/measured.mjs'
import { measurePrinter } from './scenarios/bridge.mjs'

const FRAMES = 500
const MEMORY = '<= 15 MB more'
const head = ['figure', 'beside', 'measured', 'difference', 'ratio', 'target']

/** `beside`: what it is compared with. Either may be what stood in the way. */
function row(name, beside, measured, show, target = '') {
  const numbers = typeof beside === 'number' && typeof measured === 'number'
  const cell = (value) => (typeof value === 'number' ? show(value) : (value ?? '-'))
  const compared = numbers ? [show(measured - beside), `${(measured / beside).toFixed(2)}x`] : ['-', '-']
  return [name, cell(beside), cell(measured), ...compared, target]
}

/** @param {object} hosts what `hosts.ts` printed */
function memoryRows({ printers = {}, claude, opencode, gemini, error }) {
  const of = (host) => host?.rssMb ?? host?.missing ?? printers.missing ?? error
  return [
    row(
      'session host of a printing program: Claude’s language, ACP',
      of(printers.claude),
      of(printers.acp),
      mb,
      MEMORY,
    ),
    row('session host of Claude Code, OpenCode', of(claude), of(opencode), mb, MEMORY),
    row('session host of Claude Code, Gemini CLI', of(claude), of(gemini), mb, MEMORY),
  ]
}

/** @param {object} lines what `acp-line.ts` printed */
function lineRows({ scripted, acp, page, error }) {
  const of = (figures, q) => figures?.[q] ?? figures?.missing ?? error
  return [
    row(
      'line to a browser’s socket, event, p50: scripted, ACP',
      of(scripted?.event, 'p50'),
      of(acp?.event, 'p50'),
      ms,
      '<= 15 ms',
    ),
    row('the same, p99', of(scripted?.event, 'p99'), of(acp?.event, 'p99'), ms),
    row('line to a browser’s socket, live text, p50: -, ACP', undefined, of(acp?.live, 'p50'), ms, '<= 15 ms'),
    row('line into a page of Chromium, live text, p50: socket, page', of(acp?.live, 'p50'), of(page, 'p50'), ms),
  ]
}

function bridgeRows({ direct, through }) {
  return [
    row('frame to the client, p50: program alone, bridge', direct.p50, through.p50, ms, '<= 5 ms more'),
    row('the same, p99', direct.p99, through.p99, ms),
  ]
}

const ownProcess = (script) => measured([process.execPath, '--import', 'tsx', script])

export async function runFigures() {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'roundhouse-figures-')))
  try {
    // One after another, and what depends most on a quiet machine first.
    const line = lineRows(await ownProcess('acp-line.ts'))
    const bridge = bridgeRows(await measurePrinter(root, FRAMES))
    const memory = memoryRows(await ownProcess('hosts.ts'))
    const rows = [head, head.map(() => '---'), ...memory, ...line, ...bridge]
    console.log([`${machine()}`, '', ...rows.map(cells)].join('\n'))
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
}
