/** Describes a row of the audit log for people. Pure. */
import type { AuditItem } from '@roundhouse/backend-types'

/** The text after a name: "Ana sent a prompt". An unknown action is shown unchanged. */
const deeds: Readonly<Record<string, string>> = {
  'hub.setup': 'set the hub up',
  'hub.change': 'changed whether new machines need approval',
  'hub.restored': 'noticed that the data was restored from a backup',
  'login.begin': 'signed in',
  'login.end': 'signed out',
  'password.change': 'changed their password',
  'totp.enable': 'turned on two-factor authentication',
  'totp.disable': 'turned off two-factor authentication',
  'backup_code.use': 'used a backup code',
  'backup_codes.renew': 'created new backup codes',
  'passkey.add': 'added a passkey',
  'passkey.rename': 'renamed a passkey',
  'passkey.remove': 'removed a passkey',
  'identity.link': 'linked their account to the identity provider',
  'identity.unlink': 'unlinked their account from the identity provider',
  'person.invite': 'invited a person',
  'person.join': 'accepted an invitation',
  'person.recover': 'created a password reset link',
  'person.recovered': 'reset their password',
  'person.change': 'changed the rights of a person',
  'person.remove': 'removed a person',
  'person.sign_out': 'signed a person out everywhere',
  'invitation.revoke': 'revoked an invitation',
  'api_token.make': 'created an API token',
  'api_token.remove': 'revoked an API token',
  'webhook.make': 'registered a webhook',
  'webhook.change': 'changed a webhook',
  'webhook.remove': 'removed a webhook',
  'webhook.rotate': 'created another secret for a webhook',
  'webhook.test': 'tested a webhook',
  'webhook.redeliver': 'sent a message to a webhook once more',
  'webhook.stop': 'turned a webhook off',
  'channel.set': 'set the bot of a chat channel',
  'channel.remove': 'removed the bot of a chat channel',
  'channel.code': 'created a code that links a chat',
  'channel.link': 'linked a chat',
  'channel.unlink': 'unlinked a chat',
  'channel.approvals': 'changed whether their chat decides permission requests',
  'token.make': 'created an enrollment token',
  'token.revoke': 'revoked an enrollment token',
  'agent.enroll': 'enrolled as a machine',
  'agent.rename': 'renamed a machine',
  'agent.refresh': 'checked a machine for programs',
  'agent.approve': 'approved a machine',
  'agent.refuse': 'rejected a machine',
  'agent.rotate_key': 'changed its key',
  'agent.disable': 'disabled a machine',
  'agent.enable': 'enabled a machine',
  'agent.revoke': 'revoked a machine',
  'agent.accept_restored': 'accepted a restored machine',
  'session.create': 'started a session',
  'session.organise': 'renamed or archived a session',
  'session.delete': 'deleted a session',
  'session.stop': 'ended a session',
  'session.resume': 'resumed a session',
  'session.configure': 'changed a session’s settings',
  'session.spawn': 'let a session start another one',
  'session.spawning': 'changed whether a session may start others',
  'session.stop_tree': 'ended a tree of sessions',
  'event.blank': 'erased the content of an event',
  'image.upload': 'uploaded an image',
  'prompt.send': 'sent a prompt',
  'turn.interrupt': 'stopped a turn',
  'task.stop': 'stopped what ran in the background',
  'files.rewind': 'put files back as they were before a prompt',
  'program.tell': 'sent a message of the bus to a program',
  'ask.answer': 'answered what a program asked',
  'tool.answer': 'answered a program',
  'process.end': 'stopped a program',
  'grant.revoke': 'revoked a permission',
  'command.dismiss': 'dismissed a failed command',
  'queue.edit': 'edited a queued prompt',
  'queue.remove': 'removed a queued prompt',
  'queue.move': 'moved a queued prompt',
  'queue.release': 'ran the queue',
  'permission.decide': 'decided a permission request',
  'permission.applied': 'ran an action with a different input than it asked for',
  'permission.outcome_unknown': 'may have run an action with a different input than it asked for',
  'permission.unrecorded': 'found a decision on a permission request that nobody is on record for',
  'permission.decision_lost': 'asked for a decision again: the first was lost',
}

/** The same for actions that were refused. */
const refusals: Readonly<Record<string, string>> = {
  'hub.setup': 'had no valid setup code',
  'login.begin': 'failed to sign in',
  'login.second_step': 'entered no valid two-factor code',
  'password.change': 'could not change their password',
  'totp.enable': 'could not turn on two-factor authentication',
  'totp.disable': 'could not turn off two-factor authentication',
  'backup_codes.renew': 'could not create new backup codes',
  'passkey.add': 'could not add a passkey',
  'passkey.remove': 'could not remove a passkey',
  'api_token.make': 'could not create an API token',
  'channel.code': 'could not create a code that links a chat',
  'channel.approvals': 'could not let their chat decide permission requests',
  'identity.link': 'could not link their account to the identity provider',
  'identity.unlink': 'could not unlink their account from the identity provider',
  'invitation.accept': 'had no valid invitation',
  'permission.decide': 'was not allowed to decide a permission request',
  'agent.enroll': 'had no valid enrollment token',
  'agent.rotate_key': 'could not change its key',
  'agent.cloned': 'connected as a copy',
  'agent.audit_head': 'returned a head of this log that the hub never signed',
  'machine.unproven': 'reported an action that no command of this hub asked for',
  'session.other_log': 'sent a different log for a session',
  'socket.refused': 'came from a page of another site',
  'machine.refused': 'sent something that was refused',
}

/** First words of actions, as the filter offers them. */
export const kinds = [
  ['permission', 'Decisions'],
  ['prompt', 'Prompts'],
  ['session', 'Sessions'],
  ['login', 'Signing in and out'],
  ['totp', 'Two-factor authentication'],
  ['passkey', 'Passkeys'],
  ['identity', 'Identity provider'],
  ['person', 'People'],
  ['agent', 'Machines'],
  ['machine', 'Machine reports'],
  ['token', 'Enrollment tokens'],
  ['api_token', 'API tokens'],
  ['channel', 'Chat channels'],
] as const

/** A machine chooses its own name, which may be a person's: it is never shown alone (AUTH-3). */
export function nameOf({ actorId, actorName }: AuditItem): string {
  if (actorId.startsWith('agent:')) return `The machine “${actorName || actorId.slice('agent:'.length)}”`
  return actorName || (actorId === 'stranger' ? 'Unknown' : actorId)
}

/**
 * What a machine reports the outcome of (PERM-2): only an edit has the requested input, only an approved plan has a mode, and the
 * answers to a question have neither.
 */
function reportedOn(item: AuditItem): 'edit' | 'plan' | 'answers' | null {
  if (!Object.hasOwn(answers, item.action)) return null
  const { effectiveInput, askedInput, mode } = factsOf(item)
  if (askedInput !== undefined) return 'edit'
  if (effectiveInput === undefined) return mode === undefined ? null : 'plan'
  return mode === undefined ? 'answers' : 'edit'
}

const answers: Readonly<Record<string, string>> = {
  'permission.applied': 'reported an answered question',
  'permission.outcome_unknown': 'reported an answered question; whether the program has the answer is unknown',
}

const plans: Readonly<Record<string, string>> = {
  'permission.applied': 'reported an approved plan',
  'permission.outcome_unknown': 'reported an approved plan; whether the program has the approval is unknown',
}

export function deedOf(item: AuditItem): string {
  const { action, outcome } = item
  const reported = reportedOn(item)
  if (reported === 'answers') return answers[action] ?? action
  if (reported === 'plan') return plans[action] ?? action
  return outcome === 'ok' ? (deeds[action] ?? action) : (refusals[action] ?? `was refused: ${deeds[action] ?? action}`)
}

/** The session that the row is about. */
export function sessionOf(item: AuditItem): string | null {
  if (item.object?.startsWith('ses_')) return item.object
  const { sessionId } = factsOf(item)
  return typeof sessionId === 'string' ? sessionId : null
}

/** `[name, value]` pairs that the sentence and its link do not contain. An id with a name in `names` appears as that name. */
export function shownFacts(item: AuditItem, names: ReadonlyMap<string, string>): Array<[string, string]> {
  const { sessionId: _linked, commandId: _inner, edited, ...facts } = factsOf(item)
  const object = item.object === sessionOf(item) || item.object === item.actorId ? null : item.object
  const words = { ...labels, ...(moreLabels[reportedOn(item) ?? 'edit'] ?? {}) }
  return Object.entries({
    ...(object === null ? {} : { object }),
    ...facts,
    ...(edited === true ? { edited } : {}),
  }).map(([name, value]) => [words[name] ?? spaced(name), named(valueWords(value), names)])
}

/** `sentTargets` is "sent targets". */
const spaced = (name: string): string => name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function valueWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** One id, or several separated by spaces. */
function named(value: string, names: ReadonlyMap<string, string>): string {
  const words = value.split(' ')
  return words.some((word) => names.has(word)) ? words.map((word) => names.get(word) ?? word).join(', ') : value
}

const labels: Readonly<Record<string, string>> = {
  object: 'on',
  agentId: 'machine',
  agents: 'machines',
  promptDigest: 'prompt digest',
  keyFingerprint: 'key',
  before: 'key before',
  replaced: 'older links revoked',
  tokensRemoved: 'tokens ended',
  linksEnded: 'chats unlinked',
  approvals: 'decides',
  requireApproval: 'machines need approval',
  waits: 'needs approval',
  why: 'because',
  needs: 'needs the right',
  sentSha256: 'digest of what was sent',
  askedInput: 'what was asked',
  effectiveInput: 'what ran',
  effectiveInputSha256: 'digest of what ran',
  effectiveDigest: 'digest of the action that ran',
  claimedName: 'names',
  claimedId: 'names the id',
}

const moreLabels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  answers: {
    effectiveInput: 'question and answer',
    effectiveInputSha256: 'digest of question and answer',
    effectiveDigest: 'digest of the answer',
  },
  plan: { mode: 'continues in mode', effectiveDigest: 'digest of the plan' },
}

function factsOf({ detail }: AuditItem): Record<string, unknown> {
  try {
    return detail === null ? {} : (JSON.parse(detail) as Record<string, unknown>)
  } catch {
    return { detail } // somebody changed the database by hand
  }
}
