/** The hub denies a request that nobody is asked about (RUN-5). It allows nothing. */
import { entryOf, hubItself } from '../audit/audit'
import type { Changes } from '../doorbells/changes'
import type { WriteAsHub } from '../writes/write-as'
import { addCommand } from './command-maker'
import type { CommandPump } from './command-pump'
import { hubActor } from './hub-actor'

export interface DenyDeps {
  changes: Changes
  now: () => number
  pump: CommandPump
  writeAsHub: WriteAsHub
}

/** Nothing happens where somebody was first. `reason` is text to the model. */
export async function denyUnasked(deps: DenyDeps, requestId: string, reason: string): Promise<void> {
  const { changes, now, pump, writeAsHub } = deps
  const denied = await writeAsHub(async (tx) => {
    const row = await tx.requests.find(requestId)
    if (!row || row.decision !== null || row.outcome !== 'open') return null
    const { sessionId, agentId, procId, digest } = row
    const decision = 'deny'
    const body = { kind: 'permission.decide', requestId, procId, decision, digest, reason } as const
    const at = now()
    const command = { sessionId, agentId, actor: hubActor, body, now: at, expiresAt: row.expiresAt }
    const { commandId } = await addCommand(tx, command)
    const { userId, name: userName } = hubActor
    await tx.requests.decide(requestId, { decision, userId, userName, at, device: null, reason, commandId })
    const detail = { decision, digest, edited: false, sessionId, commandId, reason }
    await tx.audit.append(entryOf(hubItself, 'permission.decide', requestId, detail), at)
    return { sessionId, agentId }
  })
  if (!denied) return
  changes.session(denied.sessionId)
  pump.kick(denied.agentId, denied.sessionId)
}
