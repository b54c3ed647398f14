/**
 * The key that a sign-in begins with. It is stored before it is used, so that no login is created for a key that this
 * browser cannot store.
 */
import { type BrowserKey, hasWebCrypto, makeBrowserKey } from '@roundhouse/hub-client'
import { pageKeys } from '../../live/page-prover'
import type { Refused } from './auth-post'
import { keyWords } from './key-words'

const PENDING = 'sign-in'

export async function newKey(): Promise<BrowserKey | Refused> {
  if (!hasWebCrypto()) return { code: 'KEY_REQUIRED', message: keyWords.noCrypto }
  try {
    const key = await makeBrowserKey()
    await pageKeys.setPending(PENDING, key)
    return key
  } catch {
    return { code: 'KEY_REQUIRED', message: keyWords.noStore }
  }
}
