/**
 * The hub sets no cookie and reads none. A browser that was signed in before that, or was given one by another port of this host,
 * is told to drop it.
 */
const ours = /^(__Host-|__Secure-)?roundhouse\./

export function endOldCookies(header: string | undefined): string[] {
  const names = (header ?? '').split(';').map((pair) => pair.split('=')[0]?.trim() ?? '')
  return [...new Set(names.filter((name) => ours.test(name)))].map((name) => {
    const secure = name.startsWith('__') ? '; Secure' : ''
    return `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${secure}`
  })
}
