/** Finds the processes that carry a mark in their environment. Linux only: elsewhere nobody may read it. */
import { readdirSync, readFileSync } from 'node:fs'

export const MARK = 'ROUNDHOUSE_TEST_MARK'
export const canSeeMarks = process.platform === 'linux'

export interface Leftover {
  pid: number
  command: string
}

/** As session hosts tell it their adapters. */
export const markedBy = async (entries: Readonly<Record<string, string>>): Promise<number[]> =>
  processesWith(Object.entries(entries).map(([name, value]) => `${name}=${value}`)).map(({ pid }) => pid)

export const processesWithMark = (mark: string): Leftover[] => processesWith([`${MARK}=${mark}`])

function processesWith(entries: readonly string[]): Leftover[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    const environment = read(`/proc/${pid}/environ`)
    const has = environment.split('\0')
    if (!entries.every((entry) => has.includes(entry))) return []
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
