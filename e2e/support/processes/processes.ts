/** The processes of one session, found by the mark in their environment. Linux only; none elsewhere. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface MarkedProcess {
  pid: number
  /** With the pid it identifies one process, even if the number is used again. */
  start: string
  command: string
}

export const processesOf = (sessionId: string) => processesThat((_, env) => env.includes(markOf(sessionId)))

/**
 * The processes that an agent started for its sessions: hosts and guards name its home, and programs carry their
 * session's mark.
 */
export function processesOfHome(home: string, sessionIds: readonly string[]): MarkedProcess[] {
  const marks = new Set(sessionIds.map(markOf))
  const names = (words: string[]) => words.some((word) => word.includes(home))
  return processesThat((args, env) => names(args) || names(env) || env.some((word) => marks.has(word)))
}

const markOf = (sessionId: string) => `ROUNDHOUSE_SESSION=${sessionId}`

function processesThat(isMeant: (args: string[], env: string[]) => boolean): MarkedProcess[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    const args = read(name, 'cmdline').split('\0')
    if (!isMeant(args, read(name, 'environ').split('\0'))) return []
    const start = startOf(name)
    return start ? [{ pid: Number(name), start, command: args.join(' ').trim() }] : []
  })
}

export const isRunning = ({ pid, start }: MarkedProcess): boolean => startOf(String(pid)) === start

/** The folder that a process works in; null for one that is gone. */
export function workFolderOf({ pid }: MarkedProcess): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}

/** Null for a process that is gone or a zombie. */
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

/** A program whose host was killed may end by itself meanwhile. */
export function killThoseThatAreLeft(processes: readonly MarkedProcess[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
