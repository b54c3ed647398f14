// Runs the server and the load each on its own core, so that neither slows the other. Without `taskset`, or with one core
// only, everything runs unpinned.
import { spawnSync } from 'node:child_process'
import os from 'node:os'

export const cores = { server: process.env.BENCH_SERVER_CORE ?? '0', client: process.env.BENCH_CLIENT_CORE ?? '1' }

export const canPin = os.cpus().length > 1 && spawnSync('taskset', ['--version']).status === 0

/** `taskset` replaces itself by the command: the child's pid is the command's own. */
export const pinned = (core, command) => (canPin ? ['taskset', '-c', core, ...command] : command)

/** Moves a process that runs, with all its threads. */
export function pin(pid, core) {
  if (canPin) spawnSync('taskset', ['-acp', core, String(pid)])
}
