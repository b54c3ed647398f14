/**
 * Finds the processes of a session by the mark in their environment. Linux reads `/proc`; elsewhere `ps` is asked, which
 * shows the environment of one's own processes only, and enough for us.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { isLack } from '@roundhouse/backend-types'
import { FOLDER_MARK, HOST_MARK, SESSION_MARK } from '../host-contract/launch-spec'
import type { IsOwn } from '../host-contract/session-folder'

/** Which processes with the session's mark are meant. */
export interface Scope {
  /** Only those of one launch of its host. */
  launch?: string | undefined
  /** Only those of this folder of the session; absent: of any. */
  isOwn?: IsOwn | undefined
}

/** Pids of the processes that carry the session's mark. */
export function listMarked(sessionId: string, { launch, isOwn = () => true }: Scope = {}): Set<number> {
  const entries = [`${SESSION_MARK}=${sessionId}`, ...(launch === undefined ? [] : [`${HOST_MARK}=${launch}`])]
  const isMeant = (environment: readonly string[]) =>
    entries.every((entry) => environment.includes(entry)) && isOwn(folderIn(environment))
  if (process.platform !== 'linux') {
    const lines = processesWithEnvironment().filter((line) => isMeant(line.split(' ')))
    return new Set(lines.map((line) => Number.parseInt(line, 10)))
  }
  return new Set(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && isMeant(environmentOf(name)))
      .map(Number),
  )
}

function folderIn(environment: readonly string[]): string | null {
  const start = `${FOLDER_MARK}=`
  return environment.find((entry) => entry.startsWith(start))?.slice(start.length) ?? null
}

/** Empty where nobody may look. */
function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch (error) {
    if (isLack(error)) throw error // nobody knows
    return []
  }
}

function processesWithEnvironment(): string[] {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env: { LC_ALL: 'C' } } as const
  try {
    return execFileSync('/bin/ps', ['-axEww', '-o', 'pid=,command='], options).split('\n')
  } catch {
    return []
  }
}
