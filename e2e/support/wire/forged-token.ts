/** Tokens with a correct checksum and invented parts, as an attacker who knows the format would make them. */
import { crc32 } from 'node:zlib'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function forgedToken(tokenId: string, secret: string, prefix = 'rhe'): string {
  const body = `${prefix}_${tokenId}_${secret}`
  let rest = crc32(body)
  let sum = ''
  for (let place = 0; place < 6; place += 1) {
    sum = digits.charAt(rest % digits.length) + sum
    rest = Math.floor(rest / digits.length)
  }
  return `${body}_${sum}`
}
