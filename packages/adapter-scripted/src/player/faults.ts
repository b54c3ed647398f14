/** The bad manners of command-line programs, on demand. */
import { spawn } from 'node:child_process'
import type { Step } from '../script/script'
import { throwIfStopped } from './pause'
import type { Printer } from './printer'

const BATCH_BYTES = 65_536

export async function flood(printer: Printer, turn: number, step: NonNullable<Step['flood']>, signal: AbortSignal) {
  const size = Math.max(step.line ?? 1000, 80)
  const filler = 'x'.repeat(Math.max(size - 60, 1))
  let line = 0
  for (let printed = 0; printed < step.bytes; ) {
    throwIfStopped(signal)
    const count = Math.max(1, Math.floor(Math.min(BATCH_BYTES, step.bytes - printed) / size))
    const texts = Array.from({ length: count }, () => `${++line} ${filler}`)
    if (step.as === 'garbage') await printer.text(texts.map((text) => `${text}\n`).join(''))
    else
      await printer.frames(
        turn,
        texts.map((text) => floodFrame(text, step.as)),
      )
    printed += count * size
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function floodFrame(text: string, as: NonNullable<Step['flood']>['as']) {
  return as === 'delta'
    ? ({ type: 'piece', block: 'flood', of: 'say', text } as const)
    : ({ type: 'say', text } as const)
}

export async function printGarbage(printer: Printer, garbage: number | string): Promise<void> {
  const lines =
    typeof garbage === 'string' ? [garbage] : Array.from({ length: garbage }, (_, n) => `}{ not JSON ${n + 1}`)
  await printer.text(lines.map((line) => `${line}\n`).join(''))
}

export async function halfLineAndDie(printer: Printer, code: number): Promise<never> {
  await printer.text('{"type":"say","text":"this line never en')
  process.exit(code)
}

/** A child in its own session that holds this program's stdout open. */
export function leaveChildBehind(lifeMs: number): number {
  const child = spawn(process.execPath, ['-e', `setTimeout(() => {}, ${Math.min(lifeMs, 600_000)})`], {
    detached: true,
    stdio: ['ignore', 'inherit', 'ignore'],
  })
  child.unref()
  return child.pid ?? 0
}
