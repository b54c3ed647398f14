// Shared steps of the scenarios.
import { sleep, waitFor } from '../lib/util.mjs'

export async function openSessions(target, count, label) {
  const sids = []
  for (let i = 0; i < count; i++) sids.push(await target.createSession(`${label} ${i}`))
  return sids
}

/** Calls each sender `rate` times a second with 1, 2, 3... Free of drift: at each wake-up all calls that are due are made. */
export async function pace(rate, seconds, senders) {
  const total = Math.round(rate * seconds)
  const begun = performance.now()
  const sent = senders.map((_, i) => ({ n: 0, offset: (i * 1000) / rate / senders.length }))
  for (;;) {
    const now = performance.now() - begun
    for (const [i, state] of sent.entries()) {
      while (state.n < total && state.offset + (state.n * 1000) / rate <= now) senders[i](++state.n)
    }
    if (sent.every((state) => state.n >= total)) {
      return { seconds: (performance.now() - begun) / 1000, total: total * senders.length }
    }
    await sleep(1)
  }
}

/** Sends `rate` events a second until `stop`, which resolves to how many there were. */
export function sendSteadily(target, agent, rate, bytes) {
  let running = true
  let n = 0
  const work = (async () => {
    const begun = performance.now()
    while (running) {
      while (n < ((performance.now() - begun) / 1000) * rate) target.emit(agent, [++n], bytes)
      await sleep(1)
    }
  })()
  return {
    async stop() {
      running = false
      await work
      return n
    },
  }
}

/** Until everything is acknowledged and the stored transcript has not grown for three seconds. */
export async function settled(target, sid, agent) {
  await waitFor(() => agent.unacked() === 0, 30_000, 'all acks').catch(() => {})
  let last = -1
  for (let still = 0; still < 3; ) {
    await sleep(1000)
    const count = (await target.transcript(sid)).length
    still = count === last ? still + 1 : 0
    last = count
  }
}

/** What became of the events 1 to `sent`, by the numbers found in the store. */
export function verdict(numbers, sent) {
  const seen = new Set()
  let duplicated = 0
  let outOfOrder = 0
  let last = 0
  for (const n of numbers) {
    if (seen.has(n)) duplicated++
    if (n < last) outOfOrder++
    seen.add(n)
    last = n
  }
  let missing = 0
  for (let n = 1; n <= sent; n++) if (!seen.has(n)) missing++
  return { sent, stored: numbers.length, missing, duplicated, outOfOrder }
}
