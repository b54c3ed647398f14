/**
 * Secrets that people copy: `rhe_<id 10>_<secret 43>_<crc 6>` for an enrollment (JOIN-1), `rhi_` for an invitation,
 * `rht_` for a program. The prefix and the checksum let secret scanners find one without guessing, and show a typing
 * error before any lookup. Only the hash of the secret is stored.
 */
import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { sha256 } from './digests'
import { newSecret } from './random'

export type TokenPrefix = 'rhe' | 'rhi' | 'rht'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const pattern = /^(rh[eit])_([A-Za-z0-9]{10})_([A-Za-z0-9_-]{43})_([A-Za-z0-9]{6})$/

export interface ParsedToken {
  tokenId: string
  secretHash: string
}

export function makeToken(prefix: TokenPrefix): ParsedToken & { token: string } {
  const tokenId = Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('')
  const secret = newSecret(32)
  const body = `${prefix}_${tokenId}_${secret}`
  return { tokenId, secretHash: sha256(secret), token: `${body}_${checksum(body)}` }
}

export function parseToken(prefix: TokenPrefix, token: string): ParsedToken | null {
  const [, found, tokenId, secret, crc] = pattern.exec(token.trim()) ?? []
  if (found !== prefix || tokenId === undefined || secret === undefined) return null
  return crc === checksum(`${prefix}_${tokenId}_${secret}`) ? { tokenId, secretHash: sha256(secret) } : null
}

export function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < 6; i += 1) {
    digits = alphabet.charAt(rest % alphabet.length) + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}
