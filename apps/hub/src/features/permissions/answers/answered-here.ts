/** Requests that this page answered itself: whatever else goes away was answered, or ended, elsewhere. */
export const answeredHere = new Set<string>()
