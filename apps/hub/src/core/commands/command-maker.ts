/** CMD-1, CMD-2, CMD-4: creates a command's row inside the transaction of its action. */
import { type CommandBody, commandLifeMs, unorderedCommands } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import { newId } from '../common/random'
import type { CommandRow } from '../ports/command-store'
import type { PersonTx } from '../writes/write-as'

export interface CommandFor {
  sessionId: string
  agentId: string
  actor: Actor
  body: CommandBody
  now: number
  /** For commands that live as long as their request, and for commands that follow another one's lifetime. */
  expiresAt?: number | null
}

export async function addCommand(tx: PersonTx, made: CommandFor): Promise<CommandRow> {
  const { sessionId, agentId, actor, body, now } = made
  const lifeMs = commandLifeMs[body.kind]
  const row: CommandRow = {
    commandId: newId('cmd'),
    sessionId,
    agentId,
    cmdSeq: unorderedCommands.has(body.kind) ? null : await tx.sessions.takeCmdSeq(sessionId),
    kind: body.kind,
    body,
    state: 'pending',
    authorId: actor.userId,
    authorName: actor.name,
    tokenId: actor.credential.kind === 'token' ? actor.credential.id : null,
    createdAt: now,
    expiresAt: made.expiresAt ?? (lifeMs === null ? null : now + lifeMs),
    promptId: promptIdOf(body),
    requestId: body.kind === 'permission.decide' ? body.requestId : null,
    errorCode: null,
    errorMessage: null,
    errorField: null,
    dismissed: false,
  }
  await tx.commands.insert(row)
  return row
}

function promptIdOf(body: CommandBody): string | null {
  if (body.kind === 'session.create') return body.prompt?.promptId ?? null
  return 'promptId' in body ? body.promptId : null
}
