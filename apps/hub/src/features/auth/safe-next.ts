/** Where to go after signing in: only a path of our own. A full address, or one with two slashes, would lead elsewhere. */
export function safeNext(next: string | null): string {
  return next && /^\/(?![/\\])/.test(next) ? next : '/'
}
