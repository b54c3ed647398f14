/** The command `subscribe`: one line of JSON for each message, until a signal or until nobody reads any more. */
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AskedAccess, readAccess } from './hub-access'
import { OutLines } from './out-lines'
import { Subscription } from './subscription'

export interface AskedSubscription extends AskedAccess {
  patterns: string[]
  after: number | null
  name: string | null
}

export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  out: Writable
  say: (text: string) => void
  /** Calls this at a signal to end. */
  onSignal: (stop: () => void) => void
}

const LAST_WORDS_MS = 1_000

/** Resolves when it ended cleanly, with everything that it heard printed. */
export async function subscribe(asked: AskedSubscription, { env, out, say, onSignal }: Surroundings): Promise<void> {
  const access = readAccess(asked, env)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  onSignal(stop)
  const lines = new OutLines(out, stop)
  const { patterns, after, name } = asked
  await new Subscription({ access, patterns, after, name, lines, say, stop: stopping.signal }).run()
  // A reader that takes nothing holds nobody back who wants to end.
  await Promise.race([lines.drained(), sleep(LAST_WORDS_MS)])
}
