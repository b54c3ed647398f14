/** What the acts of a conversation are played on. */
import { execFile } from 'node:child_process'
import type { Resumed } from '../real/resumed'
import { until } from '../support/common/until'
import type { RealBackend } from '../support/processes/backends'
import type { Rig } from '../support/rigs/rig'

export interface Stage {
  kind: RealBackend
  rig: Rig
  session: Resumed
  /** Counts the acts, so that no two say the same. */
  n: number
}

export type Act = (stage: Stage) => Promise<void>

/** Nothing runs, waits or is asked. */
export function rests({ session }: Stage): Promise<unknown> {
  return until(
    'the session to rest',
    async () => {
      const { status, turnId, commands, background = [] } = await session.session()
      const onTheWay = commands.some(({ state }) => ['pending', 'sent', 'accepted'].includes(state))
      return (
        ['idle', 'resumable'].includes(status.status) && turnId === undefined && !onTheWay && background.length === 0
      )
    },
    120_000,
  )
}

export async function plays(stage: Stage, ...steps: object[]): Promise<void> {
  await stage.session.plays(...steps)
  await rests(stage)
}

/** Codex lets nobody else into a conversation while it is open here. */
export async function letGo({ kind, rig, session }: Stage): Promise<void> {
  if (kind !== 'codex') return
  await rig.rest.endProcess(session.sessionId)
  await until('the program to end', () => session.clis.length === 0)
}

/** Runs the program in a terminal, with what it is given to read there. */
export function runProgram({ rig }: Stage, args: readonly string[], given = ''): Promise<string> {
  const { path: bin = '', env, workDir } = rig.system.around
  return new Promise((resolve, reject) => {
    const child = execFile(bin, args, { cwd: workDir, env }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr || stdout, { cause: error })) : resolve(stdout),
    )
    child.stdin?.end(given)
  })
}

/** The conversation that goes on now. */
export const conversationOf = ({ session }: Stage): string => session.conversations.at(-1) ?? ''
