/** The processes of one session as the machine shows them: by the mark in their environment. Linux only; elsewhere none. */
import { readdirSync, readFileSync } from 'node:fs'

export interface MarkedProcess {
  pid: number
  /** With the pid it names one process, also after the number was used again. */
  start: string
  command: string
}

export function processesOf(sessionId: string): MarkedProcess[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || !read(name, 'environ').split('\0').includes(`ROUNDHOUSE_SESSION=${sessionId}`)) return []
    const start = startOf(name)
    return start ? [{ pid: Number(name), start, command: read(name, 'cmdline').replaceAll('\0', ' ').trim() }] : []
  })
}

export const isRunning = ({ pid, start }: MarkedProcess): boolean => startOf(String(pid)) === start

/** Null for one that is gone, or only not buried yet. */
function startOf(pid: string): string | null {
  const stat = read(pid, 'stat')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' || fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null)
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}
