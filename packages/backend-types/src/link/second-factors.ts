/** Second factors: authenticator codes, backup codes, passkeys. */
import { z } from 'zod'
import { Id, Millis } from '../common/ids'

/** Six digits of an authenticator, or a backup code. Blanks that people type for reading do not count. */
export const SecondCode = z
  .string()
  .max(40)
  .transform((text) => text.replace(/\s/g, ''))
  .pipe(z.string().regex(/^(\d{6}|[A-Za-z0-9]{5}-?[A-Za-z0-9]{5})$/, 'Six digits, or a backup code.'))

/** That it is the person who asks: the password, and a code where one is asked at the door. */
export const OwnProof = z.object({ password: z.string().max(1_000), code: SecondCode.optional() })
export type OwnProof = z.infer<typeof OwnProof>

export const PasskeyView = z.object({ passkeyId: Id, name: z.string(), createdAt: Millis })
export type PasskeyView = z.infer<typeof PasskeyView>

export const SecondFactors = z.object({
  /** A code is asked after the password. */
  totp: z.boolean(),
  backupCodesLeft: z.number().int(),
  passkeys: z.array(PasskeyView),
})
export type SecondFactors = z.infer<typeof SecondFactors>

/** `secret` is base32, and stands in `uri` as well. Nothing is asked for before a code of it was shown. */
export const TotpOffer = z.object({ secret: z.string(), uri: z.string() })
export type TotpOffer = z.infer<typeof TotpOffer>

export const TotpConfirm = z.object({
  code: z
    .string()
    .transform((text) => text.replace(/\s/g, ''))
    .pipe(z.string().regex(/^\d{6}$/)),
})
export type TotpConfirm = z.infer<typeof TotpConfirm>

/** Shown this once. */
export const BackupCodes = z.object({ backupCodes: z.array(z.string()) })
export type BackupCodes = z.infer<typeof BackupCodes>

export const PasskeyName = z.object({ name: z.string().trim().min(1).max(100) })
export type PasskeyName = z.infer<typeof PasskeyName>
