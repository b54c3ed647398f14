/** One transaction of a person's or an agent's action, through Prisma and the write gate (CMD-1), noun by noun. */
import type { PrismaClient } from '../../../../../../prisma/generated/client'
import type { Transactions, WriteTx } from '../../../core/ports/stores'
import { toStorageError } from '../file/storage-error'
import type { WriteGuard } from '../file/storage-keeper'
import { prismaApiTokenWrites } from './prisma-api-token-writes'
import { prismaAuditWrites } from './prisma-audit-writes'
import { prismaChannelWrites } from './prisma-channel-writes'
import { prismaCommandWrites } from './prisma-command-writes'
import { prismaEnrollmentTokenWrites } from './prisma-enrollment-token-writes'
import { prismaFactorWrites } from './prisma-factor-writes'
import { prismaFollowerWrites } from './prisma-follower-writes'
import { prismaAnswerWrites, prismaHubWrites } from './prisma-hub-writes'
import { prismaImageWrites } from './prisma-image-writes'
import { prismaInvitationWrites } from './prisma-invitation-writes'
import { prismaLoginWrites } from './prisma-login-writes'
import { prismaMachineWrites } from './prisma-machine-writes'
import { prismaPeopleWrites } from './prisma-people-writes'
import { prismaRequestWrites } from './prisma-request-writes'
import { prismaSessionWrites } from './prisma-session-writes'
import { prismaTreeWrites } from './prisma-tree-writes'
import type { Tx } from './prisma-values'
import { prismaWebhookWrites } from './prisma-webhook-writes'
import { SessionKeys } from './session-keys'

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

const handle = Symbol('transaction')

/** For tables made from transcripts, which are no nouns of the ports: their rows commit with the cursor of their follower. */
export const transactionOf = (tx: WriteTx): Tx => (tx as WriteTx & { [handle]: Tx })[handle]

function createWriteTx(tx: Tx): WriteTx & { [handle]: Tx } {
  const keys = new SessionKeys(tx)
  return {
    [handle]: tx,
    hub: prismaHubWrites(tx),
    answers: prismaAnswerWrites(tx),
    sessions: prismaSessionWrites(tx, keys),
    trees: prismaTreeWrites(tx),
    commands: prismaCommandWrites(tx),
    requests: prismaRequestWrites(tx),
    images: prismaImageWrites(tx, keys),
    machines: prismaMachineWrites(tx),
    enrollmentTokens: prismaEnrollmentTokenWrites(tx),
    people: prismaPeopleWrites(tx),
    invitations: prismaInvitationWrites(tx),
    apiTokens: prismaApiTokenWrites(tx),
    logins: prismaLoginWrites(tx),
    factors: prismaFactorWrites(tx),
    audit: prismaAuditWrites(tx),
    followers: prismaFollowerWrites(tx),
    webhooks: prismaWebhookWrites(tx),
    channels: prismaChannelWrites(tx),
  }
}
