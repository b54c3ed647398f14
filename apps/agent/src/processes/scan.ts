/**
 * The processes of this machine: number, parent, start time, and the session mark in their environment. Linux reads
 * `/proc`; elsewhere `ps` is asked, which shows the environment of one's own processes only, and enough for us.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { HOST_MARK, SESSION_MARK } from '../host-contract/launch-spec'

export interface ProcessRow {
  pid: number
  ppid: number
  start: string
  zombie: boolean
}

const onLinux = process.platform === 'linux'

export function readProcess(pid: number): ProcessRow | null {
  return onLinux ? readStat(pid) : (parsePs(ps(['-o', 'pid=,ppid=,state=,lstart=', '-p', String(pid)]))[0] ?? null)
}

export function listProcesses(): ProcessRow[] {
  if (!onLinux) return parsePs(ps(['-axo', 'pid=,ppid=,state=,lstart=']))
  return readdirSync('/proc').flatMap((name) => {
    const row = /^\d+$/.test(name) ? readStat(Number(name)) : null
    return row ? [row] : []
  })
}

/** Pids of the processes that carry the session's mark, and that of one launch of its host where it is named. */
export function listMarked(sessionId: string, launch?: string): Set<number> {
  const entries = [`${SESSION_MARK}=${sessionId}`, ...(launch === undefined ? [] : [`${HOST_MARK}=${launch}`])]
  if (!onLinux) {
    const lines = ps(['-axEww', '-o', 'pid=,command=']).split('\n')
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
  } catch {
    return false
  }
}

function readStat(pid: number): ProcessRow | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program may hold spaces and brackets, so the fields are counted from behind its last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state = 'Z', ppid = '0'] = fields
    return { pid, ppid: Number(ppid), start: fields[19] ?? '', zombie: state === 'Z' || state === 'X' }
  } catch {
    return null
  }
}

function ps(args: string[]): string {
  try {
    return execFileSync('/bin/ps', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env: { LC_ALL: 'C' } })
  } catch {
    return ''
  }
}

function parsePs(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line)
    if (!match) return []
    const [, pid, ppid, state = '', start = ''] = match
    return [{ pid: Number(pid), ppid: Number(ppid), start, zombie: state.startsWith('Z') }]
  })
}
