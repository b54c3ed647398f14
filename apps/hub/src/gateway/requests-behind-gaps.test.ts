import type { SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { envelope } from '../testing/fake-agent'
import { ask, hostState, liveHub, requested, resolved, text } from '../testing/scenario'
import { ana, type TestHub } from '../testing/test-hub'

describe('a request whose end lies behind a gap', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
    await agent.emit(sessionId, requested('r1'))
  })
  afterEach(() => hub.stop())

  /** From number 3 on; a gap stands for one number. */
  const send = (...events: SessionEvent[]) =>
    agent.send(
      sessionId,
      events.map((event, i) => envelope(event, 3 + i)),
    )
  const gap = (reason: 'pruned' | 'rebase', seq = 3): SessionEvent => ({ kind: 'gap', from: seq, to: seq, reason })
  const row = async () => {
    const { outcome, decision, resolvedSeq } = (await hub.store.reads.requests.find('r1')) ?? {}
    return { outcome, decision, resolvedSeq }
  }
  const open = { outcome: 'open', decision: null, resolvedSeq: null }
  const waiting = async () => (await hub.core.inbox.get(ana)).requests.map((request) => request.ask.requestId)
  const account = (atSeq: number, rev = 1) =>
    hostState(sessionId, { atSeq, rev, status: { status: 'needs_you' }, requests: [ask('r1')] })

  it('[REB-2.3] [PERM-1] ended out of sight: its outcome is unknown, and nobody is asked any more', async () => {
    await send(gap('pruned'))
    expect(await row()).toEqual({ outcome: 'outcome_unknown', decision: null, resolvedSeq: 3 })
    expect(await waiting()).toEqual([])
  })

  it.each(['pruned', 'rebase'] as const)(
    '[PERM-6] [REB-1.11] is open again when the log behind a %s gap asks it',
    async (reason) => {
      await send(gap(reason), requested('r1'))
      expect([await row(), await waiting()]).toEqual([open, ['r1']])
    },
  )

  it.each(['pruned', 'rebase'] as const)(
    '[LINK-5] [REB-1.12] is open again when the host, which has seen more than a %s gap, lists it',
    async (reason) => {
      await send(gap(reason), text('behind'))
      await agent.state(account(3))
      expect(await waiting()).toEqual([]) // taken before the last event: that one may have closed it
      await agent.state(account(4, 2))
      expect([await row(), await waiting()]).toEqual([open, ['r1']])
    },
  )

  it('[LINK-5] stays open when the host listed it before the gap came', async () => {
    await agent.state(account(90))
    await send(gap('pruned'), text('behind'))
    expect([await row(), await waiting()]).toEqual([open, ['r1']])
  })

  it('[PERM-1] [REB-1.13] keeps its decision when it is open again', async () => {
    const decision = { decision: 'deny' as const, digest: 'digest-r1' }
    await hub.core.permissions.decide(ana, 'r1', decision, hub.key())
    await send(gap('pruned'), requested('r1'))
    expect([await row(), await waiting()]).toEqual([{ ...open, decision: 'deny' }, []])
  })

  it('[LINK-5] is not opened by an account that an event overtook within one group commit', async () => {
    await send(gap('pruned'))
    const gate = await hub.holdGate()
    const heard = hub.heard('state')
    const ended = agent.send(sessionId, [envelope(resolved('r1', 'expired'), 4)])
    const said = agent.state(account(3))
    await heard
    await gate.release()
    await Promise.all([said, ended])
    expect(await row()).toMatchObject({ outcome: 'expired', resolvedSeq: 4 })
  })
})
