/**
 * JOIN-1: `rhe_<id 10>_<secret 43>_<crc 6>`. The prefix and the checksum let secret scanners find one without guessing;
 * a mistyped token is known as such before anything is looked up.
 */
import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { newSecret, sha256 } from './keys'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const pattern = /^rhe_([A-Za-z0-9]{10})_([A-Za-z0-9_-]{43})_([A-Za-z0-9]{6})$/

export interface ParsedToken {
  tokenId: string
  secretHash: string
}

export function makeToken(): ParsedToken & { token: string } {
  const tokenId = Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)]).join('')
  const secret = newSecret(32)
  const body = `rhe_${tokenId}_${secret}`
  return { tokenId, secretHash: sha256(secret), token: `${body}_${checksum(body)}` }
}

export function parseToken(token: string): ParsedToken | null {
  const [, tokenId, secret, crc] = pattern.exec(token.trim()) ?? []
  if (tokenId === undefined || secret === undefined || crc !== checksum(`rhe_${tokenId}_${secret}`)) return null
  return { tokenId, secretHash: sha256(secret) }
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
