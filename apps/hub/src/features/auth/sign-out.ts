/** Every page can sign out. A separate file keeps the code for signing in off the pages. */
import type { HubClient } from '@roundhouse/hub-client'
import { endedLogin } from '../../live/ended-login'
import { leaveNothing } from '../../live/own-store'
import { pageProver } from '../../live/page-prover'
import { wasSignedIn } from '../../live/was-signed-in'
import { authPost } from './auth-post'

/** `hub`: would connect again when the hub closes the connection of the login. */
export async function signOut(hub: Pick<HubClient, 'close'>): Promise<void> {
  const key = await pageProver().current()
  wasSignedIn.take()
  leaveNothing()
  if (key) endedLogin.note(key.keyId)
  hub.close()
  await authPost('/sign-out', {})
  location.assign('/login')
}
