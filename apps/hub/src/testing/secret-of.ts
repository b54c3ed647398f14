/** The secret in a token or in the link of an invitation. It may hold the very sign that stands between the parts. */
export function secretOf(text: unknown): string {
  const secret = /rh[eit]_[A-Za-z0-9]{10}_([\w-]{43})_[A-Za-z0-9]{6}$/.exec(String(text))?.[1]
  if (secret === undefined) throw new Error('there is no token in it')
  return secret
}
