/** The hub ends a session. A machine that is away hears of it when it comes back. */
import type { SessionSummary } from '@roundhouse/backend-types'
import type { Changes } from '../doorbells/changes'
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
