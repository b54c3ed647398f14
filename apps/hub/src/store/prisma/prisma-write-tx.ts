/**
 * One transaction of a person's or an agent's action, through Prisma and the write gate (CMD-1). Registers are moved by
 * conditional updates: the count says who won.
 */
import type { PrismaClient } from '../../../../../prisma/generated/client'
import type { SessionRow, Transactions, WriteTx } from '../../core/ports/ports'
import { toStorageError } from '../file/storage-error'
import type { WriteGuard } from '../file/storage-keeper'
import { prismaAgentTx } from './prisma-agent-tx'
import { appendAudit } from './prisma-audit-tx'
import { prismaFactorTx } from './prisma-factor-tx'
import { prismaImageTx } from './prisma-image-tx'
import { prismaLoginTx } from './prisma-login-tx'
import { prismaPeopleTx } from './prisma-people-tx'
import { date, dateOrNull, millis, type Tx } from './prisma-values'

export function createTransactions(prisma: PrismaClient, storage: Pick<WriteGuard, 'failed'>): Transactions {
  return {
    async write(work) {
      try {
        return await prisma.$transaction((tx) => work(createWriteTx(tx)), { maxWait: 20_000, timeout: 20_000 })
      } catch (error) {
        storage.failed(error)
        throw toStorageError(error)
      }
    },
  }
}

function createWriteTx(tx: Tx): WriteTx {
  return {
    ...answers(tx),
    ...sessions(tx),
    ...commands(tx),
    ...requests(tx),
    ...prismaAgentTx(tx),
    ...prismaPeopleTx(tx),
    ...prismaFactorTx(tx),
    ...prismaLoginTx(tx),
    ...prismaImageTx(tx),
  }
}

function answers(tx: Tx) {
  return {
    findAnswer: (scope, key) =>
      tx.idempotency.findUnique({ where: { scope_key: { scope, key } }, select: { bodyHash: true, answer: true } }),
    async keepAnswer(row) {
      await tx.idempotency.create({ data: { ...row, createdAt: date(row.createdAt) } })
    },
    async forgetAnswersBefore(createdAt) {
      await tx.idempotency.deleteMany({ where: { createdAt: { lt: date(createdAt) } } })
    },
    audit: (entry, at) => appendAudit(tx, entry, at),
  } satisfies Partial<WriteTx>
}

function sessions(tx: Tx) {
  return {
    async findSession(sessionId) {
      const row = await tx.session.findUnique({ where: { sessionId } })
      return row && toSessionRow(row)
    },
    async insertSession(row) {
      const { committed, createdAt, updatedAt, ...rest } = row
      const data = { ...rest, committed: BigInt(committed), createdAt: date(createdAt), updatedAt: date(updatedAt) }
      return toSessionRow(await tx.session.create({ data }))
    },
    async organiseSession(sessionId, { title, archived }) {
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
    async deleteSession(tombstone) {
      await tx.tombstone.create({ data: { ...tombstone, deletedAt: date(tombstone.deletedAt) } })
      await tx.request.deleteMany({ where: { sessionPk: tombstone.sessionPk } })
      await tx.command.deleteMany({ where: { sessionId: tombstone.sessionId } })
      await tx.session.delete({ where: { sessionId: tombstone.sessionId } })
    },
  } satisfies Partial<WriteTx>
}

function commands(tx: Tx) {
  return {
    async insertCommand(row) {
      await tx.command.create({
        data: { ...row, createdAt: date(row.createdAt), expiresAt: dateOrNull(row.expiresAt) },
      })
    },
    async moveCommand(commandId, from, to, error) {
      const { count } = await tx.command.updateMany({
        where: { commandId, state: from },
        data: { state: to, ...(error ? { errorCode: error.code, errorMessage: error.message } : {}) },
      })
      return count === 1
    },
    async moveCommands(from, to) {
      await tx.command.updateMany({ where: { state: from }, data: { state: to } })
    },
    async dismissCommand(sessionId, commandId) {
      const { count } = await tx.command.updateMany({ where: { sessionId, commandId }, data: { dismissed: true } })
      return count === 1
    },
    async cancelCommandsOfAgent(agentId) {
      await tx.command.updateMany({
        where: { agentId, state: { in: ['pending', 'sent'] } },
        data: { state: 'cancelled', errorCode: 'AGENT_REVOKED', errorMessage: 'The machine was revoked.' },
      })
    },
  } satisfies Partial<WriteTx>
}

function requests(tx: Tx) {
  return {
    async findRequest(requestId) {
      const row = await tx.request.findUnique({ where: { requestId } })
      if (!row) return null
      const { askedAt, expiresAt, decidedAt, resolvedSeq, decision, outcome, ...rest } = row
      return {
        ...rest,
        askedAt: askedAt.getTime(),
        expiresAt: millis(expiresAt),
        decidedAt: millis(decidedAt),
        resolvedSeq: resolvedSeq === null ? null : Number(resolvedSeq),
        decision: decision as 'allow' | null,
        outcome: outcome as 'open',
      }
    },
    async decideRequest(requestId, { answer, userId, userName, at, ...rest }) {
      const { count } = await tx.request.updateMany({
        where: { requestId, decision: null, outcome: 'open' },
        data: { ...rest, decision: answer, decidedBy: userId, deciderName: userName, decidedAt: date(at) },
      })
      return count === 1
    },
    async emptyDecision(requestId, commandId) {
      const blank = { decision: null, decidedBy: null, deciderName: null, decidedAt: null, device: null, reason: null }
      const { count } = await tx.request.updateMany({
        where: { requestId, commandId, outcome: 'open' },
        data: { ...blank, commandId: null },
      })
      return count === 1
    },
    async orphanRequestsOfAgent(agentId) {
      await tx.request.updateMany({ where: { agentId, outcome: 'open' }, data: { outcome: 'orphaned' } })
    },
  } satisfies Partial<WriteTx>
}

type PrismaSession = NonNullable<Awaited<ReturnType<Tx['session']['findUnique']>>>

function toSessionRow({ nextCmdSeq: _, ...row }: PrismaSession): SessionRow {
  return {
    ...row,
    committed: Number(row.committed),
    createdAt: row.createdAt.getTime(),
    updatedAt: row.updatedAt.getTime(),
  }
}
