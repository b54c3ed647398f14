/** Finds the processes that carry a mark in their environment. Linux only: elsewhere nobody may read it. */
import { readdirSync, readFileSync } from 'node:fs'

export const MARK = 'ROUNDHOUSE_TEST_MARK'
export const canSeeMarks = process.platform === 'linux'

export interface Leftover {
  pid: number
  command: string
}

export function processesWithMark(mark: string): Leftover[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    const environment = read(`/proc/${pid}/environ`)
    if (!environment.split('\0').includes(`${MARK}=${mark}`)) return []
    return [{ pid: Number(pid), command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }]
  })
}

/** A process that ended between the listing and the reading has no environment. So has a zombie. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
