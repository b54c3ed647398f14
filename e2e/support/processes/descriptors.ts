/** Takes the file descriptors of a running process and gives them back. */
import { execFileSync, spawnSync } from 'node:child_process'

/** Why this is not possible here; null if it is. */
export const noDescriptorLimits: string | null =
  process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0 ? null : 'there is no prlimit here'

/** From now on the process can open nothing, even after closing something. Call the result to restore the limit. */
export function starve(pid: number): () => void {
  const before = prlimit(pid, ['--nofile', '--output', 'SOFT', '--noheadings']).trim()
  prlimit(pid, [`--nofile=${ALWAYS_TAKEN}:`])
  return () => void prlimit(pid, [`--nofile=${before}:`])
}

/** The limit is a limit of numbers: the lowest ones are the standard streams. */
const ALWAYS_TAKEN = 3

const prlimit = (pid: number, args: string[]): string =>
  execFileSync('prlimit', ['--pid', String(pid), ...args], { encoding: 'utf8' })
