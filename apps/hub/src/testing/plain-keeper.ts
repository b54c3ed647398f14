/** Seals nothing, believes every password, and takes a code for the step that it names. */
import type { BotChecker, FactorKeeper, SecretKeeper } from '../core'

export const plainKeeper: FactorKeeper = {
  checkPassword: async () => 'hash',
  hashPassword: async (password) => password,
  judgePassword: async () => ({ verdict: 'right', hash: null }),
  newTotp: async (email) => ({ secret: 'SECRET', uri: `otpauth://totp/${email}`, sealed: 'secret' }),
  newBackupCodes: async () => ({ codes: ['aaaaa-bbbbb'], sealed: '["aaaaa-bbbbb"]' }),
  countBackupCodes: async (sealed) => (JSON.parse(sealed) as string[]).length,
  stepOf: async (_sealed, code) => Number(code),
  withoutBackupCode: async (sealed, code) => (sealed.includes(code) ? '[]' : null),
}

/** Seals by a prefix, so that a test sees what is sealed. */
export const plainSecrets: SecretKeeper = {
  seal: async (text) => `sealed:${text}`,
  open: async (sealed) => {
    if (!sealed.startsWith('sealed:')) throw new Error('another key')
    return sealed.slice('sealed:'.length)
  },
}

/** Believes every token, which is the id of its bot. */
export const anyBot: BotChecker = { check: async (_kind, token) => ({ botId: token, name: `${token}_bot` }) }
