/**
 * Creates a session: its row, the command that creates it, and its first prompt, in one transaction. A text alone is
 * part of that command. With images, the prompt is a separate command after it (IMG-3), so that every machine that
 * takes images accepts it.
 */
import {
  type AgentManifestPayload,
  CodedError,
  type CommandBody,
  type CommandMade,
  type CreateSessionRequest,
  type RunRequest,
} from '@roundhouse/backend-types'
import { type Actor, type Right, requireCan } from '../access/access'
import { entryOf } from '../audit/audit'
import { addCommand } from '../commands/command-maker'
import type { CommandPump } from '../commands/command-pump'
import { newId } from '../common/random'
import type { Changes } from '../doorbells/changes'
import { newSessionRow, titleFor } from '../ingest/session-row'
import type { AgentRow } from '../ports/machine-store'
import type { Reads } from '../ports/stores'
import { once } from '../writes/once'
import type { PersonTx, WriteAs } from '../writes/write-as'
import { takeFirstImages } from './images'
import { treeRow } from './new-tree'
import { promptDigest, requirePromptSize } from './prompt-text'
import { requireSupported } from './require-supported'
import { requireSessionFor } from './session-pages'

export interface CreateDeps {
  changes: Changes
  now: () => number
  pump: CommandPump
  reads: Pick<Reads, 'machines' | 'sessions'>
  writeAs: WriteAs
}

interface More {
  /** In the transaction that creates the session. What it throws undoes that. */
  beside?: (tx: PersonTx, made: { sessionId: string; title: string }) => Promise<void>
  /** The first prompt as the program gets it: from another session. */
  frame?: (prompt: string) => string
  /** The right by which it is started; absent: `session.create`. */
  needs?: Right
  run?: {
    /** As its caller asked: what is compared with a repeat (CMD-1). */
    request: RunRequest
    /** Throws where the program cannot run there. */
    check: (manifest: AgentManifestPayload | null | undefined, backend: string) => void
  }
}

export async function createSession(
  deps: CreateDeps,
  actor: Actor,
  request: CreateSessionRequest,
  key: string,
  more: More = {},
): Promise<CommandMade> {
  requireCan(actor, more.needs ?? 'session.create', { agentId: request.agentId })
  if (request.prompt !== undefined) requirePromptSize(request.prompt)
  const machine = await deps.reads.machines.findWithManifest(request.agentId)
  const { agentId, settings, images: imageIds, continuedFrom, spawning } = request
  const prompt = request.prompt !== undefined && more.frame ? more.frame(request.prompt) : request.prompt
  const { run } = more
  // A person who continues another session must be able to read it.
  if (continuedFrom !== undefined) await requireSessionFor(deps, actor, 'session.read', continuedFrom)
  const call = { actor, key, route: run ? 'run.create' : 'session.create', body: run?.request ?? request }
  const made = await once(deps, call, async (tx) => {
    requireMachine(machine)
    requireMachine(await tx.machines.find(agentId))
    run?.check(machine.manifest, settings.backend)
    const now = deps.now()
    const sessionId = newId('ses')
    const title = titleFor(request)
    const { onPermission } = run?.request ?? {}
    const row = newSessionRow({ sessionId, agentId, now, createdBy: actor.userId, title, settings, onPermission })
    const session = await tx.sessions.insert(row)
    const promptId = newId('cmd')
    const text = prompt ?? ''
    const images = imageIds && (await takeFirstImages(deps, tx, session, { actor, imageIds, text }))
    const body: CommandBody = {
      kind: 'session.create',
      settings,
      title,
      ...(prompt === undefined || images ? {} : { prompt: { promptId, text } }),
      ...(continuedFrom === undefined ? {} : { continuedFrom }),
    }
    requireSupported(machine, body, settings)
    const command = { sessionId, agentId, actor, now }
    const { commandId, state, expiresAt } = await addCommand(tx, { ...command, body })
    // It waits for its machine as long as the session does.
    if (images) await addCommand(tx, { ...command, body: { kind: 'prompt.send', promptId, text, images }, expiresAt })
    if (spawning) await tx.trees.put(treeRow(sessionId, actor, spawning, now))
    const detail = {
      agentId,
      commandId,
      ...promptDigest(prompt),
      ...(images ? { images: images.length } : {}),
      ...(spawning ? { spawning: true, ...spawning } : {}),
      ...(onPermission === undefined ? {} : { run: onPermission }),
    }
    await tx.audit.append(entryOf(actor, 'session.create', sessionId, detail), now)
    await more.beside?.(tx, { sessionId, title })
    return { commandId, sessionId, state }
  })
  deps.changes.session(made.sessionId)
  deps.pump.kick(agentId, made.sessionId)
  return made
}

/** A disabled machine may come back, so commands for it wait. */
function requireMachine<T extends Pick<AgentRow, 'state'>>(agent: T | null | undefined): asserts agent is T {
  if (!agent || agent.state === 'revoked') throw new CodedError('NOT_FOUND', 'Machine not found.')
  if (agent.state === 'pending') throw new CodedError('AGENT_PENDING')
}
