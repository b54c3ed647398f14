/** Identifies the caller of a login route before its body is read. Throws if the caller may not use the route. */
import { CodedError, type LoginRouteSpec, proofHeaders } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import type { Login } from '../../auth/authenticate'
import { shownBy } from '../request/sender'
import { type Beginner, beginner, type LoginDeps, withAddress } from './login-edge'

/** A caller that entered the password with this key and still needs a code. */
export interface HalfSignedIn extends Beginner {
  userId: string
  email: string
}

export interface Callers {
  beginner: Beginner
  half: HalfSignedIn
  anybody: Login | null
  person: Login
}

export const callers: { [W in LoginRouteSpec['who']]: (c: Context, deps: LoginDeps) => Promise<Callers[W]> } = {
  beginner,
  half: async (c, deps) => {
    const first = new CodedError('AUTH_REQUIRED', 'Sign in with your password first.')
    if (!c.req.header(proofHeaders.newKey)) throw first
    const who = await beginner(c, deps)
    const half = await deps.core.logins.owing(who.arrival.key.keyId)
    if (!half) throw first
    return { ...who, ...half }
  },
  anybody: async (c, deps) => {
    const { login } = await deps.recognise(shownBy(c))
    return login && withAddress(c, deps, login)
  },
  /** A token is judged alone, whatever else the request shows, and opens none of these routes. */
  person: async (c, deps) => {
    const login = await deps.authenticate(shownBy(c))
    if (!login) throw new CodedError('AUTH_REQUIRED')
    if (login.program) throw new CodedError('FORBIDDEN', 'Only a signed-in person can do that.')
    return withAddress(c, deps, login)
  },
}
