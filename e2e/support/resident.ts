/** Resident memory of processes, by their pid. Linux only: elsewhere 0. */
import { readFileSync } from 'node:fs'

export function residentMib(pid: number): number {
  return memoryOf(pid, 'VmRSS')
}

/** The most that the process ever had. */
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
