/**
 * Which process this is, beyond its number: the same process means the same pid, start time and boot (RES-6). Checked
 * before every kill, since pids are used again.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { readProcess } from './scan'

export const ProcessIdentity = z.object({
  pid: z.number().int().positive(),
  /** The kernel's own figure (Linux: clock ticks since boot; elsewhere: `ps -o lstart`). Compared, never computed with. */
  start: z.string(),
  bootId: z.string(),
})
export type ProcessIdentity = z.infer<typeof ProcessIdentity>

let bootIdRead: string | undefined

export function bootId(): string {
  bootIdRead ??= readBootId()
  return bootIdRead
}

function readBootId(): string {
  if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  if (process.platform === 'darwin') {
    return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim()
  }
  return 'unknown'
}

/** The identity of a running process; `null` when there is none by that number. */
export function identify(pid: number): ProcessIdentity | null {
  const row = readProcess(pid)
  return row && !row.zombie ? { pid, start: row.start, bootId: bootId() } : null
}

/** A zombie counts as gone: it runs nothing and waits for its parent. */
export function isRunning(identity: ProcessIdentity): boolean {
  if (identity.bootId !== bootId()) return false
  const row = readProcess(identity.pid)
  return row !== null && !row.zombie && row.start === identity.start
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
