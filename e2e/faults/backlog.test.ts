/**
 * A hub that was away for long: what the machine gathered meanwhile arrives complete and in order, and the hub is usable
 * while it does. ROUNDHOUSE_BACKLOG chooses another number of events.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { progressOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'

const BACKLOG = Number(process.env.ROUNDHOUSE_BACKLOG ?? 10_000)

let rig: Rig
afterEach(() => rig.dispose())

describe('a hub that comes back', () => {
  it(`[F6] [ACK-2] [FLOW-3] takes a backlog of ${BACKLOG} events, and a prompt of another session is not behind it`, async () => {
    rig = await startRig()
    const { hub, agent } = rig.system
    const other = await rig.begin([{ text: 'Ready.' }])
    await rig.agree(other)
    const sessionId = await rig.begin([{ sleep: 1_000 }, { count: { to: BACKLOG, delayMs: 0 } }])
    await hub.kill()
    const { head } = await until(
      'the turn to end while nobody listens',
      () => {
        const log = progressOf(agent.sessionFolder(sessionId))
        return log.head > BACKLOG && !log.inTurn && log
      },
      170_000,
    )
    const begun = performance.now()
    await hub.start()
    await until('some of it to be back', async () => (await rig.rest.snapshot(sessionId, 1)).head > 0, 60_000)
    await rig.prompt(other, [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }])
    const ask = await rig.asked(other)
    const prompted = { atHub: (await rig.rest.snapshot(sessionId, 1)).head, ms: Math.round(performance.now() - begun) }
    await rig.allow(ask)
    await until('all of it to be back', async () => (await rig.rest.snapshot(sessionId, 1)).head >= head, 170_000)
    const all = Math.round(performance.now() - begun)
    console.log(`${head} events back ${all} ms after the start of the hub; a prompt after ${JSON.stringify(prompted)}`)
    expect(await rig.agree(sessionId)).toHaveLength(head)
    await rig.agree(other)
  })
})
