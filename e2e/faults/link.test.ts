/** A bad network between agent and hub: whatever it does to the bytes, both hold the same in the end. */
import { afterEach, describe, it } from 'vitest'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { TcpProxy, type Weather } from '../support/wire/tcp-proxy'

let rig: Rig<TcpProxy>
afterEach(() => rig.dispose())

const start = async () => {
  rig = await startRig({ front: TcpProxy.start })
  return rig
}
const RESETS = wholeMatrix ? 6 : 3
const counting = (to: number, delayMs = 10) => [{ count: { to, delayMs } }]

describe('a network that breaks', () => {
  it('[F6] [ACK-3.1] resets again and again in the middle of batches: nothing is doubled and nothing missing', async () => {
    await start()
    const sessionId = await rig.begin(counting(1_500, 8))
    for (let reset = 0; reset < RESETS; reset += 1) {
      const before = rig.stored(sessionId)
      await until('some more events at the hub', () => rig.stored(sessionId) > before)
      rig.front.set('in', { resetAfterBytes: 700 * (reset + 1) })
      await until('the agent to be cut off', () => rig.front.connections === 0, 60_000)
      rig.front.set('in', {})
    }
    await rig.agree(sessionId)
  })
})

const weathers: Array<[string, Weather]> = [
  ['slow and uneven', { latencyMs: 80, jitterMs: 120 }],
  ['in crumbs of seven bytes', { sliceBytes: 7 }],
  ['thin, 20 KB/s', { bytesPerSecond: 20_000, sliceBytes: 1_400 }],
]

describe('a network that is', () => {
  variation.each(weathers)(
    '[F6] [LINK-5] %s: a prompt is seen and answered, and all arrives',
    async (_name, weather) => {
      await start()
      rig.front.set('both', weather)
      const steps = [{ count: { to: 100, delayMs: 2 } }, { tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }]
      const sessionId = await rig.begin(steps)
      const ask = await rig.asked(sessionId)
      await rig.allow(ask)
      await rig.agree(sessionId)
    },
  )
})
