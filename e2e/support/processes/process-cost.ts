/** The cost of a process, by its pid. Linux only; 0 elsewhere. */
import { readFileSync } from 'node:fs'

export function residentMib(pid: number): number {
  return memoryOf(pid, 'VmRSS')
}

/** The highest memory use of the process so far. */
export function peakMib(pid: number): number {
  return memoryOf(pid, 'VmHWM')
}

function memoryOf(pid: number, field: string): number {
  try {
    const kib = readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${field}:\\s+(\\d+) kB`))?.[1]
    return Math.round(Number(kib ?? 0) / 1_024)
  } catch {
    return 0
  }
}

/** Milliseconds of processor time since it started, in steps of 10. */
export function cpuMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14)
    return (Number(user) + Number(system)) * 10
  } catch {
    return 0
  }
}

/** The same, including all its descendants that have ended. */
export function cpuOfAllMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const times = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 16)
    return times.reduce((sum, one) => sum + Number(one) * 10, 0)
  } catch {
    return 0
  }
}
