/** Waits for a condition of another process, by asking again; fails with what it last saw. */
export async function until<T>(
  what: string,
  look: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  timeoutMs = 60_000,
): Promise<T> {
  const end = Date.now() + timeoutMs
  let failure: unknown
  while (Date.now() < end) {
    try {
      const found = await look()
      if (found) return found
    } catch (error) {
      failure = error
    }
    await new Promise((resolve) => setImmediate(resolve))
    await breathe()
  }
  throw new Error(`waited ${timeoutMs} ms for ${what}`, { cause: failure })
}

/** Between two looks, so that the other process gets the processor. */
const breathe = () => new Promise<void>((resolve) => setTimeout(resolve, 25))
