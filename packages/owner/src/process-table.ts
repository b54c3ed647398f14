/** The processes of this machine: pid, parent and start time. On Linux it reads `/proc`; elsewhere it runs `ps`. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessRow {
  pid: number
  ppid: number
  /** The process that created its terminal session, if the kernel reports it. */
  sid?: number
  /** The kernel's own figure (Linux: clock ticks since boot; elsewhere: `ps -o lstart`, in UTC). */
  start: string
  /** It runs nothing any more and waits for its parent. */
  zombie: boolean
}

const onLinux = process.platform === 'linux'
const columns = 'pid=,ppid=,state=,lstart='

/** Null when there is none by that number. Throws where the system has no room for the question: then nobody knows. */
export function readProcess(pid: number): ProcessRow | null {
  return onLinux ? readStat(pid) : readByPs(pid)
}

export function listProcesses(): ProcessRow[] {
  if (!onLinux) return parsePs(ps(['-axo', columns]))
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []))
}

function readStat(pid: number): ProcessRow | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // A program's name may contain spaces and brackets, so the fields are counted from its last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state = 'Z', ppid = '0', , sid = '0'] = fields
    return {
      pid,
      ppid: Number(ppid),
      sid: Number(sid),
      start: fields[19] ?? '',
      zombie: state === 'Z' || state === 'X',
    }
  } catch (error) {
    throwLack(error)
    return null
  }
}

/** No answer is not the answer "none": no descriptor or memory was left to look. */
export function throwLack(error: unknown): void {
  if (['EMFILE', 'ENFILE', 'ENOMEM'].includes(String((error as { code?: unknown }).code))) throw error
}

/** For systems without `/proc`. */
export function readByPs(pid: number): ProcessRow | null {
  return parsePs(ps(['-o', columns, '-p', String(pid)]))[0] ?? null
}

/** In one language and one time zone: a laptop that travels must not give its processes another start time. */
function ps(args: string[]): string {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  try {
    return execFileSync('/bin/ps', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env, stdio: 'pipe' })
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
