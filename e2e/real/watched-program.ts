/** A real program behind a script of the owner's, as policy may name one: it tells of each start, and may tell another version. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { until } from '../support/common/until'
import type { Rig } from '../support/rigs/rig'
import { changePolicy } from './change-policy'

export interface WatchedProgram {
  /** How often it was started for this session. */
  startsFor(sessionId: string): number
}

/** Resolves when the agent has tried it. */
export async function watchProgram(rig: Rig, version?: string): Promise<WatchedProgram> {
  const { agent, around, kind } = rig.system
  const file = path.join(agent.home, `watched-${kind}`)
  const account = `${file}.starts`
  const tells = version === undefined ? '' : `[ "$1" = --version ] && echo "${version}" && exit\n`
  writeFileSync(file, `#!/bin/sh\necho "for $ROUNDHOUSE_SESSION $*" >> ${account}\n${tells}exec ${around.path} "$@"\n`)
  chmodSync(file, 0o700)
  await changePolicy(rig, {}, { path: file })
  await until('the agent to try it', () => existsSync(account))
  return {
    startsFor: (sessionId) =>
      readFileSync(account, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith(`for ${sessionId} `)).length,
  }
}
