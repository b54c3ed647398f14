/**
 * Whether a person is or was signed in with this browser and did not sign out. The page then explains what happened to that
 * login.
 */
const KEY = 'roundhouse.signed-in'

export const wasSignedIn = {
  note: (): void => localStorage.setItem(KEY, 'yes'),
  /** True once. */
  take: (): boolean => {
    const was = localStorage.getItem(KEY) !== null
    localStorage.removeItem(KEY)
    return was
  },
}
