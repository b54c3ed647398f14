/** A link that is dead without anybody being told: left within 20 s, taken up again, nothing missing. */
import { describe, it, type TestContext } from 'vitest'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { TcpProxy } from '../support/wire/tcp-proxy'

// They wait for clocks that are not theirs, so they wait side by side.
const start = async ({ onTestFinished }: TestContext) => {
  const rig = await startRig({ front: TcpProxy.start })
  onTestFinished(() => rig.dispose())
  return rig
}
const counting = (to: number, delayMs = 10) => [{ count: { to, delayMs } }]

const agentOnline = async ({ rest }: Rig, online: boolean) =>
  (await rest.agents()).items.every((agent) => agent.online === online)

describe.concurrent('a network that dies', () => {
  variation(
    '[F6] [LINK-4.1] swallows everything for longer than a ping takes: found from both sides, and nothing is missing',
    async (context) => {
      const rig = await start(context)
      const sessionId = await rig.begin(counting(300, 100))
      await until('events at the hub', () => rig.stored(sessionId) > 10)
      rig.front.set('both', { swallow: true })
      await until('the hub to see it', () => agentOnline(rig, false))
      rig.front.heal()
      await until('the agent to return', () => agentOnline(rig, true), 60_000)
      await rig.agree(sessionId)
    },
  )

  it.for(wholeMatrix ? (['in', 'out'] as const) : (['out'] as const))(
    '[F7] [LINK-4.1] is dead in the direction "%s" only: the link is left within 20 s',
    async (direction, context) => {
      const rig = await start(context)
      const sessionId = await rig.begin(counting(250, 100))
      await until('events at the hub', () => rig.stored(sessionId) > 10)
      rig.front.set(direction, { swallow: true })
      // New connections would suffer too, so the old one is given up while no other is there.
      await until('the link to be left', () => agentOnline(rig, false), 25_000)
      rig.front.heal()
      await until('the agent to return', () => agentOnline(rig, true), 60_000)
      await rig.agree(sessionId)
    },
  )
})
