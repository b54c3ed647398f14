/** Wrong logins, counted before anything is awaited: 200 at once are 200 (T76). */
import { AttemptLimit } from './attempt-limit'

const WRONG_PER_ACCOUNT = 5
const WRONG_PER_ADDRESS = 20
const WINDOW_MS = 15 * 60_000

export type WrongLogins = ReturnType<typeof createWrongLogins>

/** Counted when it begins and given back unless it was wrong, so that no two can pass on one count. */
export function createWrongLogins() {
  const ofAccount = new AttemptLimit(WRONG_PER_ACCOUNT, WINDOW_MS)
  const ofAddress = new AttemptLimit(WRONG_PER_ADDRESS, WINDOW_MS)
  const told = new AttemptLimit(1, WINDOW_MS)
  return {
    count(account: string, address: string): void {
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
    giveBack(account: string, address: string): void {
      ofAddress.giveBack(address)
      ofAccount.giveBack(account)
    },
  }
}
