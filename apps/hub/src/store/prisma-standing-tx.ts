/** What a login, a token or a person is good for, inside a Prisma transaction (AUTH-1). */
import { Role } from '@roundhouse/backend-types'
import type { PeopleTx } from '../core/people-ports'
import type { Standing, StandingOf } from '../core/standing'
import type { Tx } from './prisma-values'

export function prismaStandingTx(tx: Tx): Pick<PeopleTx, 'findStanding'> {
  return {
    async findStanding(of) {
      const shown = await find(tx, of)
      if (!shown) return null
      const { userId, scopes, expiresAt } = shown
      const person = await tx.user.findUnique({ where: { id: userId }, select: { role: true, banned: true } })
      if (!person) return null
      const shares = await tx.machineShare.findMany({ where: { userId }, select: { agentId: true } })
      return {
        userId,
        role: Role.safeParse(person.role).data ?? 'viewer',
        banned: person.banned === true,
        shared: JSON.stringify(shares.map(({ agentId }) => agentId)),
        scopes,
        expiresAt: expiresAt?.getTime() ?? null,
      }
    },
  }
}

type Shown = Pick<Standing, 'userId' | 'scopes'> & { expiresAt: Date | null }

async function find(tx: Tx, { kind, id }: StandingOf): Promise<Shown | null> {
  if (kind === 'person') return { userId: id, scopes: null, expiresAt: null }
  if (kind === 'token') {
    return tx.apiToken.findUnique({ where: { tokenId: id }, select: { userId: true, scopes: true, expiresAt: true } })
  }
  const login = await tx.authSession.findUnique({ where: { id }, select: { userId: true, expiresAt: true } })
  return login && { ...login, scopes: null }
}
