/** What a login, a token or a person is good for, inside a Prisma transaction (AUTH-1). */
import { type ApiTokenScope, Role } from '@roundhouse/backend-types'
import { agentsOf } from '../../../core/access/access'
import type { Standing, StandingOf } from '../../../core/access/standing'
import { readList } from '../rows/json-lists'
import type { Tx } from './prisma-values'

export async function findStanding(tx: Tx, of: StandingOf): Promise<Standing | null> {
  const shown = await find(tx, of)
  if (!shown?.user) return null
  const { user, scopes, expiresAt } = shown
  const role = Role.safeParse(user.role).data ?? 'viewer'
  const shares =
    agentsOf(role, []) === null
      ? [] // whoever has all machines, has them without
      : await tx.machineShare.findMany({ where: { userId: user.id }, select: { agentId: true } })
  return {
    userId: user.id,
    role,
    banned: user.banned === true,
    shared: shares.map(({ agentId }) => agentId),
    scopes,
    expiresAt: expiresAt?.getTime() ?? null,
  }
}

interface Shown extends Pick<Standing, 'scopes'> {
  user: { id: string; role: string | null; banned: boolean | null } | null
  expiresAt: Date | null
}

const person = { id: true, role: true, banned: true } as const

async function find(tx: Tx, { kind, id }: StandingOf): Promise<Shown | null> {
  const userOf = (userId: string) => tx.user.findUnique({ where: { id: userId }, select: person })
  if (kind === 'person') return { user: await userOf(id), scopes: null, expiresAt: null }
  if (kind === 'token') {
    const token = await tx.apiToken.findUnique({ where: { tokenId: id } })
    const scopes = token && readList<ApiTokenScope>(token.scopes)
    return token && { ...token, scopes, user: await userOf(token.userId) }
  }
  const select = { expiresAt: true, user: { select: person } } as const
  const login = await tx.authSession.findUnique({ where: { id }, select })
  return login && { ...login, scopes: null }
}
