/** The one-time code of the first run. Each call is a write of its own. */
import type { PrismaClient } from '../../../../../../prisma/generated/client'
import type { SetupStore } from '../../../core/ports/setup-store'
import { coded } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { date } from './prisma-values'

export function createSetupStore(prisma: PrismaClient, reader: Connection): SetupStore {
  const where = { id: 1 }
  const people = reader.prepare<[], { some: number }>('SELECT EXISTS (SELECT 1 FROM User) AS some')
  return {
    isEmpty: coded(() => people.get()?.some === 0),
    async keep({ codeHash, expiresAt }) {
      const row = { codeHash, expiresAt: date(expiresAt), attempts: 0, usedAt: null }
      await prisma.setup.upsert({ where, create: { id: 1, ...row }, update: row })
    },
    async find() {
      const row = await prisma.setup.findUnique({ where })
      return row && { codeHash: row.codeHash, expiresAt: row.expiresAt.getTime() }
    },
    async countWrong() {
      await prisma.setup.updateMany({ where, data: { attempts: { increment: 1 } } })
    },
    async claim(now, mostAttempts) {
      const open = { id: 1, usedAt: null, attempts: { lt: mostAttempts }, expiresAt: { gt: date(now) } }
      return (await prisma.setup.updateMany({ where: open, data: { usedAt: date(now) } })).count === 1
    },
    async release() {
      await prisma.setup.update({ where, data: { usedAt: null } })
    },
  }
}
