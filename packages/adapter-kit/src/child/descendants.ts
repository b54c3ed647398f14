/**
 * The processes below one process. A program that gives each command it runs a session of its own cannot be ended with them
 * by a group kill, and after its end nothing links them to it any more: they must be noted before.
 * Linux only (`/proc`); elsewhere nothing is found, and the program's own clean-up is all there is.
 */
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessMark {
  pid: number
  /** Start time in clock ticks: with the pid, it names a process even after the number was used again. */
  start: string
}

interface Stat extends ProcessMark {
  parent: number
}

export function descendantsOf(pid: number): ProcessMark[] {
  const all = listStats()
  const found: Stat[] = []
  const parents = new Set([pid])
  // A child may stand before its parent in the listing: go round until nothing is added.
  for (let before = -1; before !== found.length; ) {
    before = found.length
    for (const stat of all) {
      if (!parents.has(stat.parent) || parents.has(stat.pid)) continue
      parents.add(stat.pid)
      found.push(stat)
    }
  }
  return found.map(({ pid: child, start }) => ({ pid: child, start }))
}

/** Sends the signal to those that are still the same process. Returns how many there were. */
export function signalAll(marks: ProcessMark[], signal: NodeJS.Signals): number {
  let sent = 0
  for (const mark of marks) {
    if (readStat(mark.pid)?.start !== mark.start) continue
    try {
      process.kill(mark.pid, signal)
      sent += 1
    } catch {
      // It ended in between, or it is not ours to end.
    }
  }
  return sent
}

function listStats(): Stat[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []))
  } catch {
    return []
  }
}

function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything, spaces and parentheses too.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [state, parent, start] = [fields[0], fields[1], fields[19]]
    return state === 'Z' || start === undefined ? undefined : { pid, parent: Number(parent), start }
  } catch {
    return undefined
  }
}
