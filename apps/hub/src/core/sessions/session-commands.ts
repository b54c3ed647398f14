/** Requests of people to a session's machine: each action is one transaction that creates a command, and then a doorbell. */

import {
  type Action,
  CodedError,
  type CommandBody,
  type CommandMade,
  type CommandOf,
  type ConfigureRequest,
  type InterruptRequest,
  needsCapability,
  type PromptRequest,
  type QueueEditRequest,
  type ResumeRequest,
  type SessionView,
  type StopTaskRequest,
} from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import { entryOf } from '../audit/audit'
import { addCommand } from '../commands/command-maker'
import type { CommandPump } from '../commands/command-pump'
import type { Changes } from '../doorbells/changes'
import type { Reads } from '../ports/stores'
import { isEndedByDamage } from '../views/damaged-row'
import type { Views } from '../views/views'
import { once } from '../writes/once'
import type { PersonTx, WriteAs } from '../writes/write-as'
import { takeImages } from './images'
import { promptDigest, requirePromptSize } from './prompt-text'
import { requireSupported } from './require-supported'
import { requireSessionFor } from './session-pages'

/** Done in the transaction that makes the command. What it throws makes none. */
type Also = (tx: PersonTx, commandId: string) => Promise<void>
type Told = Omit<CommandOf<'program.tell'>, 'kind'>

interface SessionCommandsDeps {
  changes: Changes
  now: () => number
  pump: CommandPump
  reads: Pick<Reads, 'machines' | 'sessions'>
  views: Views
  writeAs: WriteAs
}

export interface SessionCommandsApi {
  prompt(actor: Actor, sessionId: string, request: PromptRequest, idempotencyKey: string): Promise<CommandMade>
  interrupt(actor: Actor, sessionId: string, request: InterruptRequest, idempotencyKey: string): Promise<CommandMade>
  stopTask(actor: Actor, sessionId: string, request: StopTaskRequest, idempotencyKey: string): Promise<CommandMade>
  resume(actor: Actor, sessionId: string, request: ResumeRequest, idempotencyKey: string): Promise<CommandMade>
  configure(actor: Actor, sessionId: string, request: ConfigureRequest, idempotencyKey: string): Promise<CommandMade>
  /** `promptId`: of the prompt to go back to. */
  rewindFiles(actor: Actor, sessionId: string, promptId: string, idempotencyKey: string): Promise<CommandMade>
  queue(actor: Actor, sessionId: string, request: QueueEditRequest, idempotencyKey: string): Promise<CommandMade>
  revokeGrant(actor: Actor, sessionId: string, grantId: string, idempotencyKey: string): Promise<CommandMade>
  /** An orchestrator's answer to the program. It decides no permission request. */
  tell(actor: Actor, sessionId: string, said: Told, idempotencyKey: string, also?: Also): Promise<CommandMade>
  stop(actor: Actor, sessionId: string, idempotencyKey: string): Promise<CommandMade>
  endProcess(actor: Actor, sessionId: string, idempotencyKey: string): Promise<CommandMade>
}

export function createSessionCommands(deps: SessionCommandsDeps): SessionCommandsApi {
  const act = (action: Action, body: Call['body']) => {
    return (actor: Actor, sessionId: string, route: string, request: unknown, key: string) =>
      command(deps, { actor, action, sessionId, route, request, key, body })
  }
  const control = (actor: Actor, sessionId: string, key: string, body: CommandBody) =>
    act('session.control', () => body)(actor, sessionId, body.kind, body, key)
  return {
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
    rewindFiles: (actor, sessionId, promptId, key) => {
      const body = act('session.control', (view) => {
        requireNotEnded(view)
        if (view.turnId !== undefined) throw new CodedError('TURN_RUNNING')
        return { kind: 'files.rewind', promptId }
      })
      return body(actor, sessionId, 'files.rewind', { promptId }, key)
    },
    queue: async (actor, sessionId, { op, ...request }, key) => {
      if ('text' in request && request.text !== undefined) requirePromptSize(request.text)
      return control(actor, sessionId, key, { kind: `queue.${op}`, ...request } as CommandBody)
    },
    revokeGrant: (actor, sessionId, grantId, key) => control(actor, sessionId, key, { kind: 'grant.revoke', grantId }),
    tell: (actor, sessionId, said, key, also) =>
      command(deps, {
        actor,
        action: 'session.prompt',
        sessionId,
        route: 'program.tell',
        request: said,
        key,
        also,
        body: (view) => {
          requireNotEnded(view)
          return { kind: 'program.tell', ...said }
        },
      }),
    stop: (actor, sessionId, key) => {
      const body = act('session.control', (view) => {
        requireNotEnded(view)
        return { kind: 'session.stop' }
      })
      return body(actor, sessionId, 'session.stop', {}, key)
    },
    endProcess: (actor, sessionId, key) => control(actor, sessionId, key, { kind: 'process.end' }),
  }
}

interface Call {
  actor: Actor
  action: Action
  sessionId: string
  route: string
  request: unknown
  key: string
  /** Checks the session's present state and returns the command for the agent. */
  body: (view: SessionView, tx: PersonTx) => CommandBody | Promise<CommandBody>
  also?: Also | undefined
}

async function command(deps: SessionCommandsDeps, call: Call): Promise<CommandMade> {
  const { actor, sessionId, key, request } = call
  const { machines } = deps.reads
  const { agentId } = await requireSessionFor(deps, actor, call.action, sessionId)
  const made = await once(deps, { actor, route: `${call.route} ${sessionId}`, key, body: request }, async (tx) => {
    const view = await deps.views.view(sessionId)
    if (!view) throw new CodedError('SESSION_NOT_FOUND')
    if (isEndedByDamage(view)) throw new CodedError('STORAGE_DAMAGED')
    const body = await call.body(view, tx)
    if (needsCapability(body)) requireSupported(await machines.findWithManifest(agentId), body, view.settings)
    if ((await tx.machines.find(agentId))?.state === 'revoked') throw new CodedError('AGENT_REVOKED')
    const { commandId, state } = await addCommand(tx, { sessionId, agentId, actor, body, now: deps.now() })
    const detail = { commandId, ...digestOf(body) }
    await tx.audit.append(entryOf(actor, body.kind, sessionId, detail), deps.now())
    await call.also?.(tx, commandId)
    return { commandId, sessionId, state }
  })
  deps.changes.session(sessionId)
  deps.pump.kick(agentId, sessionId)
  return made
}

const digestOf = (body: CommandBody) => ({
  ...(body.kind === 'files.rewind' ? { promptId: body.promptId } : {}),
  ...promptDigest('text' in body ? body.text : undefined),
  ...('images' in body && body.images ? { images: body.images.length } : {}),
})

function requireNotEnded({ status }: SessionView): void {
  if (status.status === 'ended') throw new CodedError('SESSION_ENDED')
}
