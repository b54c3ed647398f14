/** What is promised is on the disk before it is promised, as the kernel saw it: not only written, but flushed. */
import { afterEach, describe, expect, it, type TestContext } from 'vitest'
import { eventsOf, logOf, tableOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Call, isSync, type Trace, trace, unmasked } from '../support/processes/syscalls'
import type { System } from '../support/processes/system'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
afterEach(() => rig.dispose())

const words = (n: number) => `must not be lost, number ${n} @`
const counting = [{ count: { to: 40, delayMs: 15, prefix: 'must not be lost, number', stamp: true } }]

async function said(sessionId: string, text: string): Promise<void> {
  await until(text, () => logOf(rig.system.agent.sessionFolder(sessionId)).some(({ body }) => body.includes(text)))
  await rig.agree(sessionId)
}

/** A session whose programs run; what its processes do from here on is seen. */
async function watched(context: TestContext, pids: (system: System, sessionId: string) => number[]) {
  rig = await startRig()
  const sessionId = await rig.begin([{ text: 'Here I am.' }])
  await said(sessionId, 'Here I am.')
  const traces: Trace[] = []
  for (const pid of pids(rig.system, sessionId)) {
    const started = await trace(pid)
    if (typeof started === 'string') context.skip(started)
    else traces.push(started)
  }
  await rig.prompt(sessionId, counting)
  await said(sessionId, words(40))
  return { sessionId, calls: await Promise.all(traces.map((one) => one.end())) }
}

const isWrite = (file: string) => (call: Call) => !isSync(call) && call.on.endsWith(file)
const isFlush = (file: string) => (call: Call) => isSync(call) && call.on.endsWith(file)

describe('the hub', () => {
  it('[ACK-1.1] [I4] flushes its database between the last write of a batch and the sending of its ack', async (context) => {
    const { sessionId, calls } = await watched(context, ({ hub }) => [hub.pid])
    const [seen = []] = calls
    const textAt = new Map(
      tableOf(rig.system.hub.dataDir, sessionId).flatMap((row) => {
        const [event] = eventsOf([row])
        return event?.kind === 'assistant_text' ? [[row.seq, String(event.text)] as const] : []
      }),
    )
    const acks = seen.flatMap((call, index) => {
      const upTo = /"acked":(\d+)/.exec(call.on.includes('hub.db') ? '' : call.bytes.toString())?.[1]
      return upTo === undefined ? [] : [{ upTo: Number(upTo), before: seen.slice(0, index) }]
    })
    let proven = 0
    for (const { upTo, before } of acks) {
      const wrote = before.findLastIndex(isWrite('hub.db-wal'))
      const flushed = before.findLastIndex(isFlush('hub.db-wal'))
      expect(flushed, `the flush before the ack of ${upTo}`).toBeGreaterThan(wrote)
      const text = textAt.get(upTo)
      if (text === undefined || !text.startsWith('must')) continue
      const stored = before.findIndex((call) => isWrite('hub.db-wal')(call) && call.bytes.includes(text))
      expect(stored, `the write of ${text}`).toBeGreaterThanOrEqual(0)
      expect(flushed).toBeGreaterThan(stored)
      proven += 1
    }
    expect(proven).toBeGreaterThan(5)
  })
})

describe('the machine', () => {
  it('[LOG-3.1] [I4] flushes the log before anything of it is offered to the network', async (context) => {
    const { calls } = await watched(context, ({ agent }, sessionId) => [agent.hostPid(sessionId) ?? 0, agent.pid])
    const [host = [], daemon = []] = calls
    const sent = daemon
      .filter(({ on }) => on.startsWith('socket'))
      .map((call) => ({ ...call, text: unmasked(call.bytes) }))
    let proven = 0
    for (let n = 1; n <= 40; n += 1) {
      const stored = host.findIndex((call) => isWrite('log.db-wal')(call) && call.bytes.includes(words(n)))
      const flush = host.slice(stored).find(isFlush('log.db-wal'))
      const offered = sent.find(({ text }) => text.includes('["events",') && text.includes(words(n)))
      if (!offered) continue
      expect(stored, `the write of ${words(n)}`).toBeGreaterThanOrEqual(0)
      expect(offered.begun, words(n)).toBeGreaterThan(flush?.ended ?? Number.POSITIVE_INFINITY)
      proven += 1
    }
    expect(proven).toBeGreaterThan(5)
  })
})
