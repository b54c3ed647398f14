/**
 * Where to go after signing in: only a path of this hub. A full address, or one with two slashes, a backslash or a
 * blank that browsers drop, would lead elsewhere.
 */
export function safeNext(next: string | null): string {
  return next && /^\/(?!\/)[!-~]*$/.test(next) && !next.includes('\\') ? next : '/'
}
