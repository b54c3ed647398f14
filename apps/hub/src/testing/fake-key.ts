/** The columns of a key that nobody holds, for logins that a test writes straight into the table. */
let keys = 0

export function fakeKey(): { keyId: string; publicKey: string } {
  keys += 1
  return { keyId: `key-${keys}`, publicKey: 'nobody' }
}
