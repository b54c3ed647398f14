/** A link that is up for a second and down for a second: each time it is up, something arrives. */
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { TcpProxy } from '../support/wire/tcp-proxy'

const WINDOWS = Number(process.env.ROUNDHOUSE_WINDOWS ?? 6)
const SECOND = 1_000
/** A machine that does ten other things takes longer than a second for what is a matter of milliseconds. */
const TRIES = 4

type Proxied = Rig<TcpProxy>

/** What becomes of those who try while it is down. Who was connected is cut off in any case. */
const downs = [
  ['refuses', (proxy: TcpProxy) => proxy.refuse(true)],
  ['swallows', (proxy: TcpProxy) => proxy.set('both', { swallow: true })],
] as const

/** How many events came to the hub in each of the seconds in which the link was up. */
async function flap(rig: Proxied, sessionId: string, down: (proxy: TcpProxy) => void): Promise<number[]> {
  const arrived: number[] = []
  for (let window = 0; window < WINDOWS; window += 1) {
    down(rig.front)
    rig.front.reset()
    await wait(SECOND)
    const before = rig.stored(sessionId)
    rig.front.set('both', {})
    rig.front.refuse(false)
    await wait(SECOND)
    arrived.push(rig.stored(sessionId) - before)
  }
  return arrived
}

// They mostly wait, so they wait side by side.
describe.concurrent('a link that is one second up and one second down', () => {
  it.for(wholeMatrix ? downs : downs.slice(1))(
    '[F6] [LINK-4] and %s everything meanwhile: most windows bring something to the hub',
    async ([, down], { onTestFinished }) => {
      const rig = await startRig({ front: TcpProxy.start })
      onTestFinished(() => rig.dispose())
      const steps = [{ count: { to: WINDOWS * 100, delayMs: 20 } }]
      const sessionId = await rig.begin(steps)
      const tries: number[][] = []
      while (tries.length < TRIES) {
        if (tries.length > 0) await rig.prompt(sessionId, steps)
        const arrived = await flap(rig, sessionId, down)
        tries.push(arrived)
        await rig.agree(sessionId)
        if (arrived.filter((events) => events > 0).length > WINDOWS / 2) return
      }
      expect.fail(`events in each window, in each try: ${JSON.stringify(tries)}`)
    },
  )
})
