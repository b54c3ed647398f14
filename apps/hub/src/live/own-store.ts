/**
 * What a person leaves in this browser: drafts, half-filled answers, where they started last. It is theirs alone: erased when
 * they sign out, and, where somebody else has signed in, before a page of theirs reads any of it.
 */
const OWN = /^roundhouse\.(draft\.|answer\.|last-session$)/
/** The login that last opened a page here, and whose it was. */
const LOGIN = 'roundhouse.login'
const PERSON = 'roundhouse.person'

let mine: string | null = null

/** Resolves once nothing is left of anybody else. `keyId`: of the login that this page belongs to. */
export async function takeOver(keyId: string, who: () => Promise<{ userId: string }>): Promise<void> {
  mine = keyId
  if (localStorage.getItem(LOGIN) === keyId) return
  const { userId } = await who()
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

/** Only while no other login has taken over. */
export function keepOwn(key: string, value: string): void {
  if (localStorage.getItem(LOGIN) === mine) localStorage.setItem(key, value)
}

function erase(): void {
  for (const key of Object.keys(localStorage)) if (OWN.test(key)) localStorage.removeItem(key)
}
