/**
 * Writes one line per fact, with the time of day, to standard error: readable in a terminal and in a service manager's
 * journal.
 */
import { format } from 'node:util'

export type LogLine = (line: string) => void

export const logToStderr: LogLine = (line) => {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
}

/**
 * For a process whose output may lie on a disk that is full or fails: then its lines are missing, and nothing else. Without
 * this the second refused line ends the process.
 */
export function outliveOwnOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

/** For a process whose standard output belongs to its caller: whatever prints, prints into the log. */
export function printTo(log: LogLine): void {
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    console[name] = (...words: unknown[]) => log(format(...words))
  }
}
