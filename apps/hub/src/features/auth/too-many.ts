/** `retryAfter`: the header, in seconds. */
export function tooMany(retryAfter: string | null): string {
  const minutes = Math.ceil(Number(retryAfter ?? 0) / 60)
  return `Too many attempts. Wait ${minutes > 1 ? `${minutes} minutes` : 'a minute'} and try again.`
}
