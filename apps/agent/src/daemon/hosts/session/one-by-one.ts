/** Runs one piece of work when its turn has come. */
export type When = (work: () => Promise<void>) => Promise<void>

/** Runs tasks one after the other, in the order in which they came. A task that fails does not block the next. */
export function oneByOne(): <T>(work: () => T | Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
}

/** Does the work once, that much later, however often it is asked for until then. No process stays for it. */
export function onceLater(ms: number, work: () => void): () => void {
  let isDue = false
  const ring = () => {
    isDue = false
    work()
  }
  return () => {
    if (!isDue) setTimeout(ring, ms).unref()
    isDue = true
  }
}
