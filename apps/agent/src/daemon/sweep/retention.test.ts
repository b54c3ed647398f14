import { script } from '@roundhouse/adapter-scripted'
import { describe, expect, it } from 'vitest'
import { openLogReader } from '../../log/reader'
import { DaemonBench } from '../../testing/daemon-bench'
import { sessionName } from '../../testing/session-name'
import { variation } from '../../testing/variation'

const s1 = sessionName('s1')
const machine = DaemonBench.each()

const seqsHere = (sessionId: string) => {
  const reader = openLogReader(machine.folder(sessionId))
  const seqs = reader.read(0, { maxEvents: 10_000, maxBytes: Number.MAX_SAFE_INTEGER }).map(({ seq }) => seq)
  reader.close()
  return seqs
}
/** The agent has got everything that the hub said before. */
const heard = () => machine.hub.ask('question', { kind: 'folders' })

/** A session at rest whose every event the hub has; of what it has, nothing is kept. */
async function atRest(sessionId: string): Promise<number> {
  const { policy } = machine.bench
  const now = policy.current()
  policy.write({ ...now, limits: { ...now.limits, keepSessionBytes: 0 } })
  await machine.start({ idleMs: 300 })
  await machine.create(sessionId, script([{ count: { to: 30 } }]))
  await machine.rests()
  await heard()
  return machine.hub.seqs(sessionId).at(-1) ?? 0
}

describe('[REB-3.4] the log of a session at rest', () => {
  it('[REB-2.1] is pruned, once, and a hub that was put back gets a gap for what is gone', async () => {
    const last = await atRest(s1)
    const { hub, daemon } = machine
    await daemon.sweep()
    expect(seqsHere(s1)).toEqual([last])
    // A second look leaves it alone.
    await daemon.sweep()
    expect(seqsHere(s1)).toEqual([last])
    hub.hubEpoch = 'epoch-2'
    hub.sessions.set(s1, (hub.sessions.get(s1) ?? []).slice(0, 3))
    hub.cut()
    await hub.until(() => hub.hellos.length === 2 && hub.seqs(s1).at(-1) === last)
    expect(hub.reports.at(-1)).toMatchObject([{ firstRetained: last, last }])
    const [gap, ...rest] = hub.sessions.get(s1)?.slice(3) ?? []
    expect(gap).toMatchObject({ seq: 4, to: last - 1, kind: 'gap' })
    expect(JSON.parse(gap?.body ?? '')).toMatchObject({ reason: 'pruned' })
    expect(rest.map(({ seq }) => seq)).toEqual([last])
    const soFar = { settings: { backend: 'scripted' }, realWorkDir: expect.any(String), seq: last }
    expect(hub.batches.at(-1)).toMatchObject({ sessionId: s1, soFar })
  })

  it('stays whole while the hub of this epoch has not taken it', async () => {
    await atRest(s1)
    const { hub, daemon } = machine
    const before = seqsHere(s1)
    hub.hubEpoch = 'epoch-2'
    hub.sessions.set(s1, (hub.sessions.get(s1) ?? []).slice(0, 3))
    hub.faults.swallowBatches = 1_000
    hub.cut()
    await hub.until(() => hub.hellos.length === 2 && hub.batches.length > 0)
    await daemon.sweep()
    expect(seqsHere(s1)).toEqual(before)
  })

  variation('stays whole while there is no hub', async () => {
    await atRest(s1)
    const { hub, daemon, bench } = machine
    const before = seqsHere(s1)
    await hub.stop()
    await bench.until(() => bench.lines.some((line) => line.startsWith('not connected')))
    await daemon.sweep()
    expect(seqsHere(s1)).toEqual(before)
    await hub.start()
  })
})
