/** Disks that are slow or full: nothing accepted is lost, nothing is acked that is not stored, and it goes on by itself. */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { progressOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
afterEach(() => rig.dispose())

const counting = [{ count: { to: 200, delayMs: 5 } }, { text: 'The end.' }]
const head = (sessionId: string) => progressOf(rig.system.agent.sessionFolder(sessionId)).head
const statusOf = async (sessionId: string) => (await rig.rest.snapshot(sessionId, 1)).session.status

/** A file: the fault lasts as long as it is there. */
function switchFile() {
  const file = path.join(freshFolder('fault'), 'on')
  return { file, on: () => writeFileSync(file, ''), off: () => rmSync(file) }
}

describe("the hub's disk", () => {
  it('[F13] takes half a second for each commit: the agent waits with the rest, a prompt is answered all the same', async () => {
    const slow = switchFile()
    rig = await startRig({ hubFailpoints: { 'hub.afterInsert': { do: 'stall', ms: 500, while: slow.file } } })
    const sessionId = await rig.begin([
      { count: { to: 300, delayMs: 1 } },
      { tool: 'Write', input: { file_path: 'a.txt', content: 'x' } },
    ])
    slow.on()
    const ask = await rig.asked(sessionId)
    await rig.allow(ask)
    await until('the turn to end', () => !progressOf(rig.system.agent.sessionFolder(sessionId)).inTurn)
    slow.off()
    await rig.agree(sessionId)
  })

  it('[F17] [T89] is full: nothing is acked, reading works, and it recovers without a restart', async () => {
    const full = switchFile()
    rig = await startRig({ hubFailpoints: { 'hub.afterInsert': { do: 'full', while: full.file } } })
    const sessionId = await rig.begin(counting)
    await until('some events at the hub', () => rig.stored(sessionId) > 5)
    full.on()
    const before = await until(
      'the agent to be ahead',
      () => head(sessionId) > rig.stored(sessionId) + 20 && rig.stored(sessionId),
    )
    expect((await rig.rest.events(sessionId, { limit: 5 })).events).toHaveLength(5)
    await until('the turn to end on the machine', () => !progressOf(rig.system.agent.sessionFolder(sessionId)).inTurn)
    expect(rig.stored(sessionId)).toBe(before)
    full.off()
    await rig.agree(sessionId)
  })
})

describe("the machine's disk", () => {
  it('[F16] [T23] [FLOW-2.6] [FLOW-2.7] is full: the session is paused and says why, and it goes on when there is room', async () => {
    const full = switchFile()
    rig = await startRig({ agentFailpoints: { 'agent.append': { do: 'full', while: full.file } } })
    const sessionId = await rig.begin(counting)
    await until('some events on the disk', () => head(sessionId) > 5)
    full.on()
    const status = await until('the session to be paused', async () => {
      const now = await statusOf(sessionId)
      return now.status === 'paused' && now
    })
    expect(status).toEqual({ status: 'paused', why: 'disk' })
    const paused = head(sessionId)
    full.off()
    await rig.agree(sessionId)
    expect(head(sessionId)).toBeGreaterThan(paused)
  })
})
