/**
 * AUTH-1 for waiting commands: a stored command is sent only while its author may still do what it says, by the same
 * token if a program sent it. Otherwise it is cancelled, and a cancelled decision makes room for another one.
 */
import type { Action, CommandBody, CommandKind } from '@roundhouse/backend-types'
import { type Actor, can } from '../access/access'
import { rightsOf, type Standing, type StandingOf } from '../access/standing'
import type { CommandAuthor, CommandRow } from '../ports/command-store'
import { neededFor } from './decision-rights'
import { hubActor } from './hub-actor'

const needed: Readonly<Record<Exclude<CommandKind, 'permission.decide' | 'session.delete' | 'tool.answer'>, Action>> = {
  'session.create': 'session.create',
  'session.resume': 'session.control',
  'session.configure': 'session.control',
  'session.stop': 'session.control',
  'prompt.send': 'session.prompt',
  'program.tell': 'session.prompt',
  'queue.edit': 'session.control',
  'queue.remove': 'session.control',
  'queue.move': 'session.control',
  'queue.release': 'session.control',
  'turn.interrupt': 'session.control',
  'task.stop': 'session.control',
  'grant.revoke': 'session.control',
  'files.rewind': 'session.control',
  'process.end': 'session.control',
  'event.blank': 'session.delete',
}

type Sent = CommandAuthor & Pick<CommandRow, 'agentId' | 'body'>

/** Signing out cancels nothing. A revoked token cancels the commands of its program that were not sent. */
export const authorOf = ({ authorId, tokenId }: CommandAuthor): StandingOf =>
  tokenId === null ? { kind: 'person', id: authorId } : { kind: 'token', id: tokenId }

export function maySend(row: Sent, author: Standing | null | undefined, now: number): boolean {
  const { body } = row
  if (body.kind === 'session.delete' || body.kind === 'tool.answer') return true // the session is deleted here already (SES-3)
  if (row.authorId === hubActor.userId) return true // no person has this id
  const rights = rightsOf(author, now)
  if (rights?.userId !== row.authorId) return false
  const actor: Actor = { ...rights, name: '', credential: { kind: 'login', id: '' } }
  // Whoever orchestrates starts sessions on the bus (TREE-3.5), and a token without the other scope only there.
  if (body.kind === 'session.create' && can(actor, 'bus.orchestrate', row)) return true
  return actionsOf(body).every((action) => can(actor, action, row))
}

const actionsOf = (body: Exclude<CommandBody, { kind: 'session.delete' | 'tool.answer' }>): Action[] =>
  body.kind === 'permission.decide' ? neededFor(body) : [needed[body.kind]]

export const RIGHTS_ENDED = {
  code: 'FORBIDDEN',
  message: 'The sender is no longer allowed to do this. The machine never received it.',
}
