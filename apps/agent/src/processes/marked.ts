/**
 * Finds the processes of a session by the mark in their environment. Linux reads `/proc`; elsewhere `ps` is asked, which
 * shows the environment of one's own processes only, and enough for us.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { isLack } from '@roundhouse/backend-types'
import { HOST_MARK, SESSION_MARK } from '../host-contract/launch-spec'

/** Pids of the processes that carry the session's mark, and that of one launch of its host where it is named. */
export function listMarked(sessionId: string, launch?: string): Set<number> {
  const entries = [`${SESSION_MARK}=${sessionId}`, ...(launch === undefined ? [] : [`${HOST_MARK}=${launch}`])]
  if (process.platform !== 'linux') {
    const lines = processesWithEnvironment()
    const isMarked = (line: string) => entries.every((entry) => ` ${line} `.includes(` ${entry} `))
    return new Set(lines.filter(isMarked).map((line) => Number.parseInt(line, 10)))
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && carries(name, entries))
  return new Set(pids.map(Number))
}

function carries(pid: string, entries: readonly string[]): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
    return entries.every((entry) => environment.includes(entry))
  } catch (error) {
    if (isLack(error)) throw error // nobody knows
    return false
  }
}

function processesWithEnvironment(): string[] {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env: { LC_ALL: 'C' } } as const
  try {
    return execFileSync('/bin/ps', ['-axEww', '-o', 'pid=,command='], options).split('\n')
  } catch {
    return []
  }
}
