/**
 * Counts wrong logins before anything is awaited: 200 parallel attempts count as 200 (T76). Attempts from a browser that
 * signed this person in before are counted separately, so that a stranger cannot use up the person's attempts.
 */
import { AttemptLimit } from './attempt-limit'

const WRONG_PER_ACCOUNT = 5
const WRONG_PER_ADDRESS = 20
const WINDOW_MS = 15 * 60_000

export type WrongLogins = ReturnType<typeof createWrongLogins>

export interface Try {
  /** A person, an address of mail, or the id of a passkey. */
  account: string
  address: string
  /** A key or a login that is known to be this person's. */
  known?: string | undefined
}

/** Counted when it begins and given back unless it was wrong, so that no two can pass on one count. */
export function createWrongLogins() {
  const ofAccount = new AttemptLimit(WRONG_PER_ACCOUNT, WINDOW_MS)
  const ofAddress = new AttemptLimit(WRONG_PER_ADDRESS, WINDOW_MS)
  const ofKnown = new AttemptLimit(WRONG_PER_ACCOUNT, WINDOW_MS)
  const told = new AttemptLimit(1, WINDOW_MS)
  return {
    count({ account, address, known }: Try): void {
      if (known !== undefined) {
        ofKnown.require(`known ${known}`)
        return
      }
      ofAddress.require(address)
      try {
        ofAccount.require(account)
      } catch (refusal) {
        ofAddress.giveBack(address) // nothing was tried
        throw refusal
      }
    },
    /** True for the first refusal of an address in the window: nobody fills the audit log from outside. */
    isNews: (address: string): boolean => told.takes(address),
    giveBack({ account, address, known }: Try): void {
      if (known !== undefined) {
        ofKnown.giveBack(`known ${known}`)
        return
      }
      ofAddress.giveBack(address)
      ofAccount.giveBack(account)
    },
  }
}
