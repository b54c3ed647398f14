// Small facts about processes and the files they write about themselves.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Null when the file is absent, or just now being written. */
export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

// What follows is `identify` of packages/owner once more: scripts run before packages are installed, and cannot import it.
// They read what the hub wrote, so the figures must be the same (process-facts.test.ts).

function readText(file) {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

function ask(program, args) {
  try {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
    return execFileSync(program, args, { encoding: 'utf8', env, stdio: 'pipe' }).trim()
  } catch {
    return ''
  }
}

function startOf(pid) {
  if (process.platform !== 'linux') return ask('/bin/ps', ['-o', 'lstart=', '-p', String(pid)]) || null
  const stat = readText(`/proc/${pid}/stat`)
  // A program's name may contain spaces and brackets, so the fields are counted from its last bracket.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' || state === 'Z' ? null : rest[18]
}

function bootId() {
  if (process.platform === 'darwin') return ask('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']) || 'unknown'
  return readText('/proc/sys/kernel/random/boot_id').trim() || 'unknown'
}

/** What names one process for good: its number alone is used again. */
export function identityOf(pid) {
  return { pid, start: startOf(pid), bootId: bootId() }
}

/** Whether that very process runs. */
export function isSameProcess({ pid, start, bootId }) {
  if (!Number.isInteger(pid) || !isAlive(pid)) return false
  const found = identityOf(pid)
  return found.start === start && found.bootId === bootId
}

/** The last lines that a service wrote, for the person who has to know why it did not start. */
export function tailOf(file, from = 0, lines = 12) {
  if (!existsSync(file)) return ''
  return readFileSync(file).subarray(from).toString('utf8').trimEnd().split('\n').slice(-lines).join('\n')
}
