/** The hub ends a session. A machine that is away hears of it when it comes back. */
import type { CommandView, SessionSummary } from '@roundhouse/backend-types'
import type { Changes } from '../doorbells/changes'
import { isUnderWay } from '../views/under-way'
import type { WriteAsHub } from '../writes/write-as'
import { addCommand } from './command-maker'
import type { CommandPump } from './command-pump'
import { hubActor } from './hub-actor'

interface StopDeps {
  changes: Changes
  now: () => number
  pump: CommandPump
  writeAsHub: WriteAsHub
}

export const STOP_LIFE_MS = 30 * 24 * 3_600_000
/** A machine that refused the end, because it does not know the session yet for example, is asked again after so long. */
export const STOP_AGAIN_MS = 15_000

/** One of these commands ends the session, and its machine has not answered it yet. */
export const isStopUnderWay = (commands: readonly Pick<CommandView, 'kind' | 'state'>[]): boolean =>
  commands.some((command) => command.kind === 'session.stop' && isUnderWay(command))

export async function stopSession(
  { changes, now, pump, writeAsHub }: StopDeps,
  { sessionId, agentId }: Pick<SessionSummary, 'sessionId' | 'agentId'>,
): Promise<void> {
  await writeAsHub(async (tx) => {
    if (!(await tx.sessions.find(sessionId))) return
    const body = { kind: 'session.stop' } as const
    await addCommand(tx, { sessionId, agentId, actor: hubActor, body, now: now(), expiresAt: now() + STOP_LIFE_MS })
  })
  changes.session(sessionId)
  pump.kick(agentId, sessionId)
}
