/** The host of a link, or nothing if the link's own text shows it. Pure. */
export function hiddenHost(href: string, text: string): string | null {
  const to = placeOf(href)
  if (to === null || to === '') return null
  return placeOf(text.trim()) === to || text.trim() === to ? null : to
}

/** The host of a web address, or the mailbox; `null`: the text is no address. */
function placeOf(text: string): string | null {
  try {
    const url = new URL(text)
    return url.protocol === 'mailto:' ? url.pathname : url.host
  } catch {
    return null
  }
}
