/** Takes the file descriptors of a running process and gives them back. */
import { execFileSync, spawnSync } from 'node:child_process'

/** Why it cannot be done here; null where it can. */
export const noDescriptorLimits: string | null =
  process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0 ? null : 'there is no prlimit here'

/** From now on it can open nothing, also where it closes something. Gives the room back when it is called. */
export function starve(pid: number): () => void {
  const before = prlimit(pid, ['--nofile', '--output', 'SOFT', '--noheadings']).trim()
  prlimit(pid, [`--nofile=${ALWAYS_TAKEN}:`])
  return () => void prlimit(pid, [`--nofile=${before}:`])
}

/** The limit is one of numbers: those below are its standard streams. */
const ALWAYS_TAKEN = 3

const prlimit = (pid: number, args: string[]): string =>
  execFileSync('prlimit', ['--pid', String(pid), ...args], { encoding: 'utf8' })
