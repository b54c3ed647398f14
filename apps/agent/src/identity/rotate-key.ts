/**
 * Another key for this machine (A20). The order is what makes it safe to die at any moment:
 *
 *   the new key is on the disk -> the hub is asked -> the identity takes it over -> the file of the new key goes
 *
 * While that file is there nobody knows whether the hub has heard of it, so the hub is asked again with both keys. It says
 * "done" to whoever asks for the key that already counts.
 */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { agentRoutes, CodedError, signedText } from '@roundhouse/backend-types'
import { failpoint } from '@roundhouse/failpoint'
import { type KeyPair, makeKeyPair, readPrivateKey, signText } from '@roundhouse/keys'
import { z } from 'zod'
import { readIfThere } from '../files/read-if-there'
import { syncFolder, writeDurably } from '../files/write-durably'
import { askChallenge } from './challenge'
import { callRoute, type PostJson } from './hub-http'
import { type Identity, signAs, writeIdentity } from './identity-file'
import { keptSocketKey } from './socket-key'

const NextKey = z.object({ publicKey: z.string().min(1), privateKey: z.string().min(1) })

/** Null where no change of keys is under way. */
export function readNextKey(file: string): KeyPair | null {
  const text = readIfThere(file)
  if (text === null) return null
  try {
    return NextKey.parse(JSON.parse(text))
  } catch (cause) {
    throw new CodedError('INTERNAL', `${file} is damaged. The key of this machine did not change.`, undefined, cause)
  }
}

/** One that was begun and not finished is taken up again. */
export function nextKey(file: string): KeyPair {
  const begun = readNextKey(file)
  if (begun) return begun
  const keys = makeKeyPair()
  writeDurably(file, `${JSON.stringify(keys)}\n`)
  failpoint('agent.newKey.afterWrite.beforeAsk')
  return keys
}

export interface IdentityFiles {
  identityFile: string
  nextKeyFile: string
}

/** Throws what the hub refused with, or `AGENT_OFFLINE`; then both keys are still there. */
export async function takeNextKey(
  post: PostJson,
  files: IdentityFiles,
  identity: Identity,
  next: KeyPair,
): Promise<Identity> {
  const renewed = { ...identity, ...keptSocketKey(identity), ...next, keyMadeAt: Date.now() }
  if (identity.publicKey !== next.publicKey) {
    await askForKey(post, identity, next)
    failpoint('agent.newKey.afterAnswer.beforePersist')
    writeIdentity(files.identityFile, renewed)
    failpoint('agent.newKey.afterPersist.beforeForget')
  }
  rmSync(files.nextKeyFile, { force: true })
  syncFolder(path.dirname(files.nextKeyFile))
  return renewed
}

async function askForKey(post: PostJson, identity: Identity, next: KeyPair): Promise<void> {
  const { agentId, hubUrl, hubPublicKey } = identity
  const { hubId, nonce } = await askChallenge(post, hubUrl, { publicKey: hubPublicKey }, agentId)
  const said = signedText.rotate(hubId, agentId, nonce, next.publicKey)
  const request = {
    agentId,
    nonce,
    newPublicKey: next.publicKey,
    signature: signAs(identity, said),
    newSignature: signText(readPrivateKey(next.privateKey), said),
  }
  await callRoute(post, hubUrl, agentRoutes.rotateAgentKey, request)
}
