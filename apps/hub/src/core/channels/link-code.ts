/** One-time codes that link a chat (CHAN-2): short enough to type, and too many to guess in ten minutes. */
import { randomInt } from 'node:crypto'
import { sha256 } from '../common/digests'

export const CODE_MS = 10 * 60_000
const LENGTH = 10
/** Without letters and digits that look alike. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'

export const newLinkCode = (): string =>
  Array.from({ length: LENGTH }, () => alphabet[randomInt(alphabet.length)]).join('')

/** As a person types it: in lower case, or with dashes and blanks. Null: it is none. */
export function readLinkCode(text: string): string | null {
  const code = text.replace(/[\s-]/g, '').toUpperCase()
  return code.length === LENGTH && [...code].every((letter) => alphabet.includes(letter)) ? code : null
}

export const linkCodeHash = (code: string): string => sha256(`channel ${code}`)
