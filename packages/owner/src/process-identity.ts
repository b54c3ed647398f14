/**
 * Identifies a process beyond its pid: the same process means the same pid, start time and boot (RES-6). The kernel reuses
 * pids after a restart of the machine, or of a container within seconds.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readProcess, throwLack } from './process-table'

export interface ProcessIdentity {
  pid: number
  /** As the kernel reports it (`ProcessRow`): only compared, so that clock changes do not matter. */
  start: string
  bootId: string
}

const onLinux = process.platform === 'linux'
const TICKS_PER_SECOND = 100

let bootIdRead: string | undefined

/** The same from one start of the machine to the next. */
export function bootId(): string {
  bootIdRead ??= readBootId()
  return bootIdRead
}

function readBootId(): string {
  try {
    if (onLinux) return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    if (process.platform === 'darwin') {
      return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim()
    }
  } catch (error) {
    // A container may hide it; pid and start time are compared all the same.
    throwLack(error)
  }
  return 'unknown'
}

/** Null when no process by that number runs, or none can be seen from here. A zombie runs no more. */
export function identify(pid: number): ProcessIdentity | null {
  const row = readProcess(pid)
  return row && !row.zombie ? { pid, start: row.start, bootId: bootId() } : null
}

export function isRunning({ pid, start, bootId: boot }: ProcessIdentity): boolean {
  const now = boot === bootId() ? identify(pid) : null
  return now !== null && now.start === start
}

/** Sends the signal if the process is still that very one. False: it was gone. */
export function signal(identity: ProcessIdentity, name: 'SIGTERM' | 'SIGKILL'): boolean {
  if (!isRunning(identity)) return false
  try {
    process.kill(identity.pid, name)
    return true
  } catch {
    return false
  }
}

/** Whether a process with that pid runs that had begun by then: one that began later only has the same pid. */
export function hadBegun(pid: number, byMs: number): boolean {
  const found = identify(pid)
  if (found === null) return false
  const beganMs = onLinux
    ? bootedAtMs() + (Number(found.start) * 1000) / TICKS_PER_SECOND
    : Date.parse(`${found.start} UTC`)
  return !(beganMs > byMs + 1_000) // the kernel tells the time of the boot in whole seconds
}

function bootedAtMs(): number {
  try {
    return Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1]) * 1000
  } catch {
    return Number.NaN
  }
}
