/** This page's only prover, and the store of its keys. The nonce for its first proof came with the page. */
import { proofHeaders } from '@roundhouse/backend-types'
import { hasWebCrypto, IndexedKeys, Prover } from '@roundhouse/hub-client'

export const pageKeys = new IndexedKeys()

let prover: Prover | undefined

export function pageProver(): Prover {
  const given = document.querySelector<HTMLMetaElement>(`meta[name="${proofHeaders.nonce}"]`)
  prover ??= new Prover({ keys: pageKeys, nonce: given?.content ?? '' })
  return prover
}

/** `kept`: this browser holds a key, whether or not its login is still alive. */
export type KeyState = 'kept' | 'none' | 'noCrypto' | 'noStore'

export async function readKeyState(): Promise<KeyState> {
  if (!hasWebCrypto()) return 'noCrypto'
  try {
    return (await pageKeys.current()) ? 'kept' : 'none'
  } catch {
    return 'noStore'
  }
}

/** Another tab has signed in since this page began: what this page shows is of a login that is over. */
export async function isKeyReplaced(): Promise<boolean> {
  const [mine, stored] = await Promise.all([pageProver().current(), pageKeys.current().catch(() => null)])
  return stored !== null && stored.keyId !== mine?.keyId
}
