/** Sessions inside a Prisma transaction. */
import { OnPermission } from '@roundhouse/backend-types'
import type { SessionRow, SessionWrites } from '../../../core/ports/session-store'
import { asDamaged } from '../../../core/views/damaged-row'
import { readable } from '../rows/row-by-row'
import { readParts, readSession, writeSession } from '../rows/session-rows'
import { date, type Tx } from './prisma-values'
import type { SessionKeys } from './session-keys'

export function prismaSessionWrites(tx: Tx, keys: SessionKeys): SessionWrites {
  const noted = (row: PrismaSession): SessionRow => {
    keys.note(row.sessionId, row.pk)
    return toSessionRow(row)
  }
  return {
    async find(sessionId) {
      const row = await tx.session.findUnique({ where: { sessionId } })
      return row && noted(row)
    },
    async insert(row) {
      const { committed, createdAt, updatedAt, ...rest } = row
      const data = {
        ...rest,
        ...writeSession(row),
        committed: BigInt(committed),
        createdAt: date(createdAt),
        updatedAt: date(updatedAt),
      }
      return noted(await tx.session.create({ data }))
    },
    async organise(sessionId, { title, archived }) {
      await tx.session.update({
        where: { sessionId },
        data: { ...(title === undefined ? {} : { title }), ...(archived === undefined ? {} : { archived }) },
      })
    },
    async takeCmdSeq(sessionId) {
      const { nextCmdSeq } = await tx.session.update({
        where: { sessionId },
        data: { nextCmdSeq: { increment: 1 } },
        select: { nextCmdSeq: true },
      })
      return nextCmdSeq - 1
    },
    async delete(tombstone) {
      const { sessionId } = tombstone
      const sessionPk = await keys.pkOf(sessionId)
      await tx.tombstone.create({ data: { ...tombstone, sessionPk, deletedAt: date(tombstone.deletedAt) } })
      await tx.request.deleteMany({ where: { sessionPk } })
      await tx.command.deleteMany({ where: { sessionId } })
      await tx.treeRequest.deleteMany({ where: { sessionId } })
      await tx.session.delete({ where: { sessionId } })
      await tx.$executeRaw`INSERT INTO Append (kind, sessionPk, sessionId, fromSeq, toSeq) VALUES ('erased', ${sessionPk}, ${sessionId}, 0, 0)`
    },
  }
}

type PrismaSession = NonNullable<Awaited<ReturnType<Tx['session']['findUnique']>>>

/** One that is not whole is marked, as on pages: its owner may delete it. */
function toSessionRow({ nextCmdSeq: _, pk: _pk, ...row }: PrismaSession): SessionRow {
  const { createdAt, updatedAt } = row
  const numbers = { committed: Number(row.committed), createdAt: createdAt.getTime(), updatedAt: updatedAt.getTime() }
  const texts = readable(() => readSession(row))
  const onPermission = OnPermission.nullable().safeParse(row.onPermission)
  return texts && onPermission.success
    ? { ...row, ...texts, ...numbers, onPermission: onPermission.data }
    : asDamaged(readParts({ ...row, ...numbers }))
}
