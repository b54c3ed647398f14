/**
 * Changes the key of this machine, one process at a time: for the owner's `rotate-key`, or for a daemon that finds a
 * half-done change.
 */
import { CodedError, toCodedError } from '@roundhouse/backend-types'
import type { IdentityFiles } from '../../files/agent-home'
import type { LogLine } from '../../files/log-line'
import type { PostJson } from '../../identity/hub-http'
import { type Identity, requireIdentity } from '../../identity/identity-file'
import { nextKey, readNextKey, takeNextKey } from '../../identity/rotate-key'
import { tryStateLock } from './state-lock'

export async function changeKey(post: PostJson, home: IdentityFiles): Promise<Identity> {
  return alone(home, () => takeNextKey(post, home, requireIdentity(home.identityFile), nextKey(home.nextKeyFile)))
}

/**
 * Called before each connection. Throws if the valid key cannot be determined: the hub is away, or another process is
 * changing the key. If the hub refuses the change, the present key is tried.
 */
export async function settleKey(post: PostJson, home: IdentityFiles, log: LogLine): Promise<void> {
  const begun = readNextKey(home.nextKeyFile)
  if (!begun) return
  await alone(home, async () => {
    try {
      await takeNextKey(post, home, requireIdentity(home.identityFile), begun)
      log('the key of this machine was changed')
    } catch (error) {
      const { code, message } = toCodedError(error)
      if (code === 'AGENT_OFFLINE' || code === 'RATE_LIMITED') throw error
      log(`the key of this machine was not changed: ${message}`)
    }
  })
}

/** Also for a caller that writes another identity. */
export async function alone<T>(home: IdentityFiles, work: () => Promise<T>): Promise<T> {
  const lock = tryStateLock(home.keyLockFile)
  if (lock === null)
    throw new CodedError('ALREADY_RUNNING', 'Another command is changing the key of this machine. Try again.')
  try {
    return await work()
  } finally {
    lock.release()
  }
}
