/** Checks a code at sign-in: six digits of the authenticator, or a backup code. It is judged now and spent in the transaction. */

import type { FactorKeeper } from '../ports/factor-keeper'
import type { Reads, WriteTx } from '../ports/stores'

interface SecondCodeDeps {
  keeper: FactorKeeper
  now: () => number
  reads: Pick<Reads, 'factors'>
}

export interface JudgedCode {
  by: 'totp' | 'backup code'
  /** `used`: the code is right and was spent before. */
  spend: (tx: WriteTx) => Promise<'fresh' | 'used' | 'wrong'>
}

export function judgeSecondCode(deps: SecondCodeDeps, userId: string, code: string): Promise<JudgedCode> {
  return /^\d{6}$/.test(code) ? judgeTotp(deps, userId, code) : judgeBackupCode(deps, userId, code)
}

async function judgeTotp({ reads, keeper, now }: SecondCodeDeps, userId: string, code: string): Promise<JudgedCode> {
  const row = await reads.factors.totp(userId)
  const step = row?.verified ? await keeper.stepOf(row.secret, code, now()) : null
  return {
    by: 'totp',
    spend: async (tx) => {
      if (!row || step === null) return 'wrong'
      return (await tx.factors.spendStep(userId, row.secret, step)) ? 'fresh' : 'used'
    },
  }
}

async function judgeBackupCode({ reads, keeper }: SecondCodeDeps, userId: string, code: string): Promise<JudgedCode> {
  const row = await reads.factors.totp(userId)
  const left = row?.verified ? await keeper.withoutBackupCode(row.backupCodes, code) : null
  return {
    by: 'backup code',
    spend: async (tx) => {
      if (!row || left === null) return 'wrong'
      return (await tx.factors.replaceBackupCodes(userId, row.backupCodes, left)) ? 'fresh' : 'used'
    },
  }
}
