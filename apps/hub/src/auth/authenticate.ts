/** Turns the cookie of a request or handshake into the person behind it. Identity comes from nowhere else. */
import { Role } from '@roundhouse/backend-types'
import type { PrismaClient } from '../../../../prisma/generated/client'
import type { Actor } from '../core'
import type { Auth } from './better-auth'

export interface Login {
  actor: Actor
  loginId: string
  email: string
}

export type Authenticate = (cookie: string | undefined) => Promise<Login | null>

export function createAuthenticate(auth: Auth): Authenticate {
  return async (cookie) => {
    if (!cookie) return null
    const found = await auth.api.getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
    if (!found || found.user.banned) return null
    const role = Role.safeParse(found.user.role)
    return {
      actor: { userId: found.user.id, name: found.user.name, role: role.success ? role.data : 'viewer' },
      loginId: found.session.id,
      email: found.user.email,
    }
  }
}

/** Of these logins, those that have not run out and whose person may still sign in. */
export function createLivingLogins(prisma: PrismaClient) {
  return async (loginIds: string[]): Promise<ReadonlySet<string>> => {
    const where = { id: { in: loginIds }, expiresAt: { gt: new Date() }, NOT: { user: { banned: true } } }
    const rows = await prisma.authSession.findMany({ where, select: { id: true } })
    return new Set(rows.map((row) => row.id))
  }
}
