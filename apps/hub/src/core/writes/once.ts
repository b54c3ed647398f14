/**
 * CMD-1: the same key returns the same answer, and the same key with another body is refused. The transaction that
 * produced the answer also stores it. A person who lost their rights cannot get it.
 */
import { CodedError } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import { sha256 } from '../common/digests'
import type { PersonTx, WriteAs } from './write-as'

export const ANSWERS_KEPT_MS = 24 * 3_600_000

export interface OnceCall {
  actor: Actor
  /** Method and object, as in `sessions.prompt ses_1`. */
  route: string
  key: string
  body: unknown
}

export interface OnceDeps {
  writeAs: WriteAs
  now: () => number
}

/** `judge` throws where the person may not do it, nor see the answer of before. */
export async function once<T>(
  deps: OnceDeps,
  call: OnceCall,
  work: (tx: PersonTx) => Promise<T>,
  judge?: (tx: PersonTx) => Promise<void>,
): Promise<T> {
  const { key, route, actor } = call
  if (key.length === 0 || key.length > 200) throw new CodedError('IDEMPOTENCY_KEY_REQUIRED')
  const scope = `${actor.userId} ${route}`
  const bodyHash = sha256(JSON.stringify(call.body) ?? '')
  return deps.writeAs(actor, async (tx) => {
    await judge?.(tx)
    const before = await tx.answers.find(scope, key)
    if (before) {
      if (before.bodyHash !== bodyHash) throw new CodedError('IDEMPOTENCY_MISMATCH')
      return before.answer as T
    }
    const answer = await work(tx)
    await tx.answers.keep({ scope, key, bodyHash, answer, createdAt: deps.now() })
    return answer
  })
}
