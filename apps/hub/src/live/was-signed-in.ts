/** Whether somebody is, or was, signed in by this browser and did not sign out: what became of that login is worth a word. */
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
