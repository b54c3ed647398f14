/** Sessions as the hub itself keeps them: created, named, archived and deleted. */

import {
  CodedError,
  type CommandMade,
  type CreateSessionRequest,
  type RenameRequest,
  type SessionSummary,
} from '@roundhouse/backend-types'
import { type Actor, requireCan } from '../access/access'
import { entryOf } from '../audit/audit'
import { addCommand } from '../commands/command-maker'
import type { CommandPump } from '../commands/command-pump'
import type { Changes } from '../doorbells/changes'
import type { Presence } from '../machines/presence'
import type { Reads } from '../ports/stores'
import type { SessionMemory } from '../views/session-memory'
import type { Views } from '../views/views'
import { once } from '../writes/once'
import type { WriteAs } from '../writes/write-as'
import { createSession } from './create-session'
import type { Erasing } from './erasing'
import { requireSession, requireSessionFor } from './session-pages'

interface SessionsDeps {
  changes: Changes
  erasing: Erasing
  memory: SessionMemory
  now: () => number
  presence: Presence
  pump: CommandPump
  reads: Pick<Reads, 'commands' | 'machines' | 'requests' | 'sessions' | 'trees'>
  views: Views
  writeAs: WriteAs
}

export interface SessionsApi {
  create(actor: Actor, request: CreateSessionRequest, idempotencyKey: string): Promise<CommandMade>
  rename(actor: Actor, sessionId: string, request: RenameRequest): Promise<SessionSummary>
  /** SES-3: deletes the transcript at once and leaves a tombstone. The agent erases its own copy when it hears of it. */
  remove(actor: Actor, sessionId: string, idempotencyKey: string): Promise<CommandMade>
  /** Hides a failed command from the page (CMD-5.29). */
  dismissCommand(actor: Actor, sessionId: string, commandId: string): Promise<void>
}

export function createSessions(deps: SessionsDeps): SessionsApi {
  return {
    create: (actor, request, key) => createSession(deps, actor, request, key),
    rename: (actor, sessionId, request) => rename(deps, actor, sessionId, request),
    remove: (actor, sessionId, key) => remove(deps, actor, sessionId, key),
    dismissCommand: async (actor, sessionId, commandId) => {
      await requireSessionFor(deps, actor, 'session.prompt', sessionId)
      await deps.writeAs(actor, async (tx) => {
        const hasBegun = (await tx.sessions.find(sessionId))?.committed !== 0
        if (!hasBegun && (await deps.reads.commands.find(commandId))?.kind === 'session.create')
          throw new CodedError('SESSION_ENDED', 'This command says how the session ended, so it stays.')
        if (!(await tx.commands.dismiss(sessionId, commandId)))
          throw new CodedError('NOT_FOUND', 'The session has no failed command with this id.')
        await tx.audit.append(entryOf(actor, 'command.dismiss', sessionId, { commandId }), deps.now())
      })
      deps.changes.session(sessionId)
    },
  }
}

async function rename(deps: SessionsDeps, actor: Actor, sessionId: string, request: RenameRequest) {
  await requireSessionFor(deps, actor, 'session.organise', sessionId)
  await deps.writeAs(actor, async (tx) => {
    await tx.sessions.organise(sessionId, request)
    await tx.audit.append(entryOf(actor, 'session.organise', sessionId, organised(request)), deps.now())
  })
  deps.changes.session(sessionId)
  const rev = deps.views.nextRev()
  const row = await requireSession(deps, sessionId)
  const [summary] = await deps.views.summaries(deps.reads, [row], rev)
  if (!summary) throw new CodedError('SESSION_NOT_FOUND')
  return summary
}

/** SES-3. The agent learns of it by a command, which outlives the session's row, and by the verdict on its next report. */
async function remove(deps: SessionsDeps, actor: Actor, sessionId: string, key: string): Promise<CommandMade> {
  requireCan(actor, 'session.delete')
  const route = `session.delete ${sessionId}`
  const made = await once(deps, { actor, route, key, body: {} }, async (tx) => {
    const row = await tx.sessions.find(sessionId)
    if (!row)
      throw new CodedError((await deps.reads.sessions.isDeleted(sessionId)) ? 'SESSION_DELETED' : 'SESSION_NOT_FOUND')
    requireCan(actor, 'session.delete', row)
    const now = deps.now()
    const { agentId } = row
    await tx.sessions.delete({ sessionId, agentId, deletedAt: now, deletedBy: actor.userId })
    const { commandId, state } = await addCommand(tx, {
      sessionId,
      agentId,
      actor,
      body: { kind: 'session.delete' },
      now,
    })
    await tx.audit.append(entryOf(actor, 'session.delete', sessionId), now)
    return { commandId, sessionId, state, agentId }
  })
  const { agentId, ...answer } = made
  requireCan(actor, 'session.delete', { agentId }) // a repeat finds no row for the check
  deps.memory.forget(sessionId)
  deps.changes.removed(sessionId)
  const connected = deps.presence.current(agentId)
  connected?.served.forget(sessionId)
  connected?.link.verdict({ sessionId, verdict: 'deleted' })
  deps.pump.kick(agentId, sessionId)
  deps.erasing.begin()
  return answer
}

const organised = ({ title, archived }: RenameRequest) => ({
  ...(title === undefined ? {} : { renamed: true }),
  ...(archived === undefined ? {} : { archived }),
})
