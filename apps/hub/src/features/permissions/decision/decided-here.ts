/** Requests that were decided on this page. Any other request that disappears was decided or ended elsewhere. */
export const decidedHere = new Set<string>()
