/** Who carries the mark of a session now, asked by the test itself. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { SESSION_MARK } from '../host-contract/launch-spec'

export function processesOf(sessionId: string): number[] {
  const entry = `${SESSION_MARK}=${sessionId}`
  if (process.platform !== 'linux') {
    const lines = execFileSync('/bin/ps', ['-axEww', '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n')
    return lines.filter((line) => line.split(' ').includes(entry)).map((line) => Number.parseInt(line, 10))
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => environmentOf(pid).includes(entry)).map(Number)
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch {
    return []
  }
}
