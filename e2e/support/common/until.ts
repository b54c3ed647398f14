/** Waits for a condition of another process by polling. A failure reports the last value. */
export async function until<T>(
  what: string,
  look: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  timeoutMs = 60_000,
): Promise<T> {
  const end = Date.now() + timeoutMs
  let failure: unknown
  let pauseMs = 20
  while (Date.now() < end) {
    try {
      const found = await look()
      if (found) return found
    } catch (error) {
      failure = error
    }
    await breathe(pauseMs)
    pauseMs = Math.min(pauseMs * 1.4, 200)
  }
  throw new Error(`waited ${timeoutMs} ms for ${what}`, { cause: failure })
}

/** The pause between two checks, which leaves the processor to the other process. It grows with the waiting time. */
const breathe = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
