/** Every page can sign out. A separate file keeps the code for signing in off the pages. */
import { leaveNothing } from '../../live/own-store'
import { wasSignedIn } from '../../live/was-signed-in'
import { authPost } from './auth-post'

export async function signOut(): Promise<void> {
  wasSignedIn.take()
  leaveNothing()
  await authPost('/sign-out', {})
  location.assign('/login')
}
