/**
 * Data that a person stores in this browser: drafts, half-filled answers, the last place where they started a session. It is
 * erased when they sign out and, if somebody else signs in, before that person's pages read it.
 */
const OWN = /^roundhouse\.(draft\.|answer\.|last-session$)/
/** The login that last opened a page here, and whose it was. */
const LOGIN = 'roundhouse.login'
const PERSON = 'roundhouse.person'

let mine: string | null = null

/** Whether this page's login is the one whose things lie here. `keyId`: of that login. */
export function isOwner(keyId: string): boolean {
  mine = keyId
  return isMine()
}

/** A login that is new here; its person may differ from the previous one. */
export function takeOver(keyId: string, userId: string): void {
  mine = keyId
  if (localStorage.getItem(PERSON) !== userId) erase()
  localStorage.setItem(PERSON, userId)
  localStorage.setItem(LOGIN, keyId)
}

/** The person leaves. Tabs that are still open write nothing any more. */
export function leaveNothing(): void {
  erase()
  localStorage.removeItem(LOGIN)
  localStorage.removeItem(PERSON)
}

/** Empty, and deaf, until its login has taken over, and as soon as another one has. */
export const ownStore = {
  get: (key: string): string | null => (isMine() ? localStorage.getItem(key) : null),
  set: (key: string, value: string): void => {
    if (isMine()) localStorage.setItem(key, value)
  },
  drop: (key: string): void => {
    if (isMine()) localStorage.removeItem(key)
  },
}

const isMine = (): boolean => mine !== null && localStorage.getItem(LOGIN) === mine

function erase(): void {
  for (const key of Object.keys(localStorage)) if (OWN.test(key)) localStorage.removeItem(key)
}
