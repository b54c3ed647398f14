/**
 * Replaces a machine's key. The present key signs the request, no approval is needed, and nothing else changes. The old
 * key is invalid from that moment: its connection is fenced, and a key that was ever used never becomes valid again.
 *
 * A repeat with the key that is valid already succeeds, so a machine that died before it got the reply learns of it.
 */

import { CodedError, type RotateKeyReply, type RotateKeyRequest, signedText } from '@roundhouse/backend-types'
import { fingerprintOf, isSignedBy } from '@roundhouse/keys'
import type { Caller } from '../access/caller'
import { asMachine, entryOf, refusalOf } from '../audit/audit'
import type { OwnHub } from '../common/hub-identity'
import type { OnceAMinute } from '../common/once-a-minute'
import type { Changes } from '../doorbells/changes'
import type { Reads, Transactions, WriteTx } from '../ports/stores'
import { barOf } from './barred'
import type { Challenges } from './challenges'
import type { Presence } from './presence'

export interface RotateKeyDeps {
  challenges: Challenges
  changes: Changes
  hub: OwnHub
  now: () => number
  presence: Presence
  reads: Pick<Reads, 'machines'>
  /** Which refusals of unauthenticated callers the audit log already has. */
  strangersTold: OnceAMinute
  transactions: Transactions
}

export const ANOTHER_KEY = 'This machine has another key now.'

type Outcome = { reply: RotateKeyReply; changed: boolean } | CodedError

export async function rotateKey(
  deps: RotateKeyDeps,
  caller: Caller,
  request: RotateKeyRequest,
): Promise<RotateKeyReply> {
  const { hub, challenges, transactions, reads, presence, changes } = deps
  const { agentId, nonce, newPublicKey, newSignature } = request
  const said = signedText.rotate(hub.hubId, agentId, nonce, newPublicKey)
  const isMeant = challenges.isOpen(nonce, agentId) && isSignedBy(newPublicKey, said, newSignature)
  if (!isMeant || !(await reads.machines.find(agentId))) throw new CodedError('AUTH_FAILED')
  // A refusal is a value here, because its row in the audit log must survive it.
  const outcome = await transactions.write((tx) => judge(deps, tx, { caller, request, said }))
  if (outcome instanceof CodedError) throw outcome
  if (outcome.changed) {
    presence.current(agentId)?.link.close({ code: 'FENCED', message: ANOTHER_KEY })
    changes.agent(agentId)
  }
  return outcome.reply
}

interface Asked {
  caller: Caller
  request: RotateKeyRequest
  /** The text that both keys signed. */
  said: string
}

async function judge(
  { now, strangersTold, challenges }: RotateKeyDeps,
  tx: WriteTx,
  { caller, request, said }: Asked,
): Promise<Outcome> {
  const { agentId, newPublicKey, signature } = request
  const agent = await tx.machines.find(agentId)
  if (!agent) return new CodedError('AUTH_FAILED')
  const reply = { agentId, keyFingerprint: fingerprintOf(newPublicKey) }
  if (agent.publicKey === newPublicKey) return { reply, changed: false }
  const who = asMachine(agent, caller.address)
  const refuse = async (code: 'AUTH_FAILED' | NonNullable<ReturnType<typeof barOf>>) => {
    if (strangersTold.isNews(`agent.rotate_key ${agentId} ${code}`)) {
      await tx.audit.append(refusalOf(who, 'agent.rotate_key', agentId, { why: code }), now())
    }
    return new CodedError(code)
  }
  if (!isSignedBy(agent.publicKey, said, signature)) {
    // Nothing is kept about unknown callers. A former key of this machine is worth a row.
    const retired = await tx.machines.retiredKeys(agentId)
    const isOld = retired.some((key) => isSignedBy(key, said, signature))
    return isOld ? refuse('AUTH_FAILED') : new CodedError('AUTH_FAILED')
  }
  if (!challenges.use(request.nonce)) return new CodedError('AUTH_FAILED')
  const bar = barOf(agent)
  if (bar) return refuse(bar)
  if (await tx.machines.isKeyKnown(newPublicKey)) return refuse('AUTH_FAILED')
  await tx.machines.retireKey({ publicKey: agent.publicKey, agentId, retiredAt: now() })
  await tx.machines.update(agentId, { ...reply, publicKey: newPublicKey, connEpoch: agent.connEpoch + 1 })
  const keys = { before: agent.keyFingerprint, keyFingerprint: reply.keyFingerprint }
  await tx.audit.append(entryOf(who, 'agent.rotate_key', agentId, keys), now())
  return { reply, changed: true }
}
