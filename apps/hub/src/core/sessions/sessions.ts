/** What people do with sessions: every action is one transaction that leaves a command behind, then a doorbell. */

import {
  type Action,
  CodedError,
  type CommandBody,
  type CommandMade,
  type CommandText,
  type ConfigureRequest,
  type CreateSessionRequest,
  type EventsPage,
  type EventsQuery,
  type InterruptRequest,
  type PromptRequest,
  type QueueEditRequest,
  type RenameRequest,
  type ResumeRequest,
  type SessionSummary,
  type SessionsList,
  type SessionsQuery,
  type SessionView,
  type Snapshot,
  type StopTaskRequest,
} from '@roundhouse/backend-types'
import { type Actor, requireCan } from '../access/access'
import { entryOf } from '../audit/audit'
import { addCommand } from '../commands/command-maker'
import type { CommandPump } from '../commands/command-pump'
import type { Changes } from '../doorbells/changes'
import type { Presence } from '../machines/presence'
import type { AuditEntry } from '../ports/audit-store'
import type { Reads } from '../ports/stores'
import { isEndedByDamage } from '../views/damaged-row'
import type { SessionMemory } from '../views/session-memory'
import { textOf } from '../views/view'
import { once } from '../writes/once'
import type { PersonTx, WriteAs } from '../writes/write-as'
import { createSession } from './create-session'
import type { Erasing } from './erasing'
import { takeImages } from './images'
import { promptDigest, requirePromptSize } from './prompt-text'
import { listSessions } from './session-list'
import {
  eventsPage,
  PAGE_EVENTS,
  requireSession,
  requireSessionFor,
  type SessionPagesDeps,
  snapshot,
} from './session-pages'

interface SessionsDeps extends SessionPagesDeps {
  changes: Changes
  erasing: Erasing
  memory: SessionMemory
  now: () => number
  presence: Presence
  pump: CommandPump
  reads: Pick<Reads, 'commands' | 'events' | 'inOneRead' | 'machines' | 'requests' | 'sessions'>
  writeAs: WriteAs
}

export interface SessionsApi {
  create(actor: Actor, request: CreateSessionRequest, idempotencyKey: string): Promise<CommandMade>
  list(actor: Actor, query: SessionsQuery): Promise<SessionsList>
  /** VIEW-1. `limit` is the size of the latest page, 200 unless told. */
  snapshot(actor: Actor, sessionId: string, limit?: number): Promise<Snapshot>
  events(actor: Actor, sessionId: string, query: EventsQuery): Promise<EventsPage>
  rename(actor: Actor, sessionId: string, request: RenameRequest): Promise<SessionSummary>
  prompt(actor: Actor, sessionId: string, request: PromptRequest, idempotencyKey: string): Promise<CommandMade>
  interrupt(actor: Actor, sessionId: string, request: InterruptRequest, idempotencyKey: string): Promise<CommandMade>
  stopTask(actor: Actor, sessionId: string, request: StopTaskRequest, idempotencyKey: string): Promise<CommandMade>
  resume(actor: Actor, sessionId: string, request: ResumeRequest, idempotencyKey: string): Promise<CommandMade>
  configure(actor: Actor, sessionId: string, request: ConfigureRequest, idempotencyKey: string): Promise<CommandMade>
  queue(actor: Actor, sessionId: string, request: QueueEditRequest, idempotencyKey: string): Promise<CommandMade>
  revokeGrant(actor: Actor, sessionId: string, grantId: string, idempotencyKey: string): Promise<CommandMade>
  stop(actor: Actor, sessionId: string, idempotencyKey: string): Promise<CommandMade>
  endProcess(actor: Actor, sessionId: string, idempotencyKey: string): Promise<CommandMade>
  /** SES-3: the transcript goes at once, a tombstone stays, the agent erases its own copy when it hears of it. */
  remove(actor: Actor, sessionId: string, idempotencyKey: string): Promise<CommandMade>
  /** VIEW-9: all of what a person wrote with a command that the page shows. */
  commandText(actor: Actor, sessionId: string, commandId: string): Promise<CommandText>
  /** Hides a failed command from the page. */
  dismissCommand(actor: Actor, sessionId: string, commandId: string): Promise<void>
}

export function createSessions(deps: SessionsDeps): SessionsApi {
  const act = (action: Action, body: Call['body']) => {
    return (actor: Actor, sessionId: string, route: string, request: unknown, key: string) =>
      command(deps, { actor, action, sessionId, route, request, key, body })
  }
  const control = (actor: Actor, sessionId: string, key: string, body: CommandBody) =>
    act('session.control', () => body)(actor, sessionId, body.kind, body, key)
  return {
    create: (actor, request, key) => createSession(deps, actor, request, key),
    list: async (actor, query) => listSessions(deps, actor, query),
    snapshot: async (actor, sessionId, limit = PAGE_EVENTS) => snapshot(deps, actor, sessionId, limit),
    events: async (actor, sessionId, query) => eventsPage(deps, actor, sessionId, query),
    rename: (actor, sessionId, request) => rename(deps, actor, sessionId, request),
    prompt: async (actor, sessionId, request, key) => {
      requirePromptSize(request.text)
      const { images: imageIds, ...prompt } = request
      const body = act('session.prompt', async (view, tx) => {
        requireNotEnded(view)
        const { text } = request
        const images = imageIds && (await takeImages(deps, tx, sessionId, { actor, imageIds, text }))
        return { kind: 'prompt.send', ...prompt, ...(images ? { images } : {}) }
      })
      return body(actor, sessionId, 'prompt.send', request, key)
    },
    interrupt: (actor, sessionId, request, key) => {
      const body = act('session.control', (view) => {
        if (view.turnId !== request.turnId) throw new CodedError('ALREADY_ENDED')
        return { kind: 'turn.interrupt', turnId: request.turnId }
      })
      return body(actor, sessionId, 'turn.interrupt', request, key)
    },
    stopTask: (actor, sessionId, request, key) => {
      const body = act('session.control', ({ background = [] }) => {
        const task = background.find(({ taskId }) => taskId === request.taskId)
        if (!task) throw new CodedError('ALREADY_ENDED', 'It does not run in the background any more.')
        if (!task.canStop) throw new CodedError('UNSUPPORTED')
        return { kind: 'task.stop', taskId: request.taskId }
      })
      return body(actor, sessionId, 'task.stop', request, key)
    },
    resume: (actor, sessionId, request, key) => {
      const body = act('session.control', (view) => {
        requireNotEnded(view)
        return { kind: 'session.resume', ...request }
      })
      return body(actor, sessionId, 'session.resume', request, key)
    },
    configure: (actor, sessionId, request, key) => {
      const body = act('session.control', (view) => {
        requireNotEnded(view)
        return { kind: 'session.configure', changes: request }
      })
      return body(actor, sessionId, 'session.configure', request, key)
    },
    queue: async (actor, sessionId, { op, ...request }, key) => {
      if ('text' in request && request.text !== undefined) requirePromptSize(request.text)
      return control(actor, sessionId, key, { kind: `queue.${op}`, ...request } as CommandBody)
    },
    revokeGrant: (actor, sessionId, grantId, key) => control(actor, sessionId, key, { kind: 'grant.revoke', grantId }),
    stop: (actor, sessionId, key) => {
      const body = act('session.control', (view) => {
        requireNotEnded(view)
        return { kind: 'session.stop' }
      })
      return body(actor, sessionId, 'session.stop', {}, key)
    },
    endProcess: (actor, sessionId, key) => control(actor, sessionId, key, { kind: 'process.end' }),
    remove: (actor, sessionId, key) => remove(deps, actor, sessionId, key),
    commandText: async (actor, sessionId, commandId) => {
      await requireSessionFor(deps, actor, 'session.read', sessionId)
      const row = await deps.reads.commands.find(commandId)
      const text = row?.sessionId === sessionId && !row.dismissed ? textOf(row.body) : undefined
      if (text === undefined) throw new CodedError('NOT_FOUND')
      return { text }
    },
    dismissCommand: async (actor, sessionId, commandId) => {
      await requireSessionFor(deps, actor, 'session.prompt', sessionId)
      await deps.writeAs(actor, async (tx) => {
        if (!(await tx.commands.dismiss(sessionId, commandId))) throw new CodedError('NOT_FOUND')
        await record(tx, deps, actor, 'command.dismiss', sessionId, { commandId })
      })
      deps.changes.session(sessionId)
    },
  }
}

interface Call {
  actor: Actor
  action: Action
  sessionId: string
  route: string
  request: unknown
  key: string
  /** Judges by what the session is now, and says what to ask of the agent. */
  body: (view: SessionView, tx: PersonTx) => CommandBody | Promise<CommandBody>
}

async function command(deps: SessionsDeps, call: Call): Promise<CommandMade> {
  const { actor, sessionId, key, request } = call
  const { agentId } = await requireSessionFor(deps, actor, call.action, sessionId)
  const made = await once(deps, { actor, route: `${call.route} ${sessionId}`, key, body: request }, async (tx) => {
    const view = await deps.views.view(sessionId)
    if (!view) throw new CodedError('SESSION_NOT_FOUND')
    if (isEndedByDamage(view)) throw new CodedError('STORAGE_DAMAGED')
    const body = await call.body(view, tx)
    if ((await tx.machines.find(agentId))?.state === 'revoked') throw new CodedError('AGENT_REVOKED')
    const { commandId, state } = await addCommand(tx, { sessionId, agentId, actor, body, now: deps.now() })
    await record(tx, deps, actor, body.kind, sessionId, { commandId, ...digestOf(body) })
    return { commandId, sessionId, state }
  })
  deps.changes.session(sessionId)
  deps.pump.kick(agentId, sessionId)
  return made
}

async function rename(deps: SessionsDeps, actor: Actor, sessionId: string, request: RenameRequest) {
  await requireSessionFor(deps, actor, 'session.organise', sessionId)
  await deps.writeAs(actor, async (tx) => {
    await tx.sessions.organise(sessionId, request)
    await record(tx, deps, actor, 'session.organise', sessionId, organised(request))
  })
  deps.changes.session(sessionId)
  const rev = deps.views.nextRev()
  const row = await requireSession(deps, sessionId)
  const [summary] = await deps.views.summaries(deps.reads, [row], rev)
  if (!summary) throw new CodedError('SESSION_NOT_FOUND')
  return summary
}

/** SES-3. The agent hears of it by a command, which outlives the session's row, and by the verdict at its next report. */
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
    await record(tx, deps, actor, 'session.delete', sessionId)
    return { commandId, sessionId, state, agentId }
  })
  const { agentId, ...answer } = made
  requireCan(actor, 'session.delete', { agentId }) // a repeat finds no row by which it was judged
  deps.memory.forget(sessionId)
  deps.changes.removed(sessionId)
  const connected = deps.presence.current(agentId)
  connected?.served.forget(sessionId)
  connected?.link.verdict({ sessionId, verdict: 'deleted' })
  deps.pump.kick(agentId, sessionId)
  deps.erasing.begin()
  return answer
}

function record(
  tx: PersonTx,
  deps: SessionsDeps,
  actor: Actor,
  action: string,
  object: string,
  detail?: AuditEntry['detail'],
): Promise<void> {
  return tx.audit.append(entryOf(actor, action, object, detail), deps.now())
}

const digestOf = (body: CommandBody) => ({
  ...promptDigest('text' in body ? body.text : undefined),
  ...('images' in body && body.images ? { images: body.images.length } : {}),
})
const organised = ({ title, archived }: RenameRequest) => ({
  ...(title === undefined ? {} : { renamed: true }),
  ...(archived === undefined ? {} : { archived }),
})

function requireNotEnded({ status }: SessionView): void {
  if (status.status === 'ended') throw new CodedError('SESSION_ENDED')
}
