import type { CommandAnswer, SessionEvent } from '@roundhouse/backend-types'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { envelope, type FakeAgent } from '../testing/fake-agent'
import { ask, hostState, liveHub, requested, resolved } from '../testing/scenario'
import { ana, ben, type TestHub } from '../testing/test-hub'

describe('[PERM-1.22] [REB-1] a decision whose command was lost on its way', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
    await agent.emit(sessionId, requested('r1'))
  })
  afterEach(() => hub.stop())

  /** Looked at after every change of a session. */
  const until = (test: () => boolean) =>
    new Promise<void>((resolve) => {
      hub.core.doorbells.on('session', () => test() && resolve())
      if (test()) resolve()
    })
  const row = () => hub.store.now.requests.find('r1')
  const waiting = async () => (await hub.core.inbox.get(ana)).requests.map((request) => request.ask.requestId)
  const decide = (who: typeof ana, decision: 'allow' | 'deny') =>
    hub.core.permissions.decide(who, 'r1', { decision, digest: 'digest-r1' }, hub.key())
  const send = (from: number, ...events: SessionEvent[]) =>
    agent.send(
      sessionId,
      events.map((event, i) => envelope(event, from + i)),
    )
  const gap: SessionEvent = { kind: 'gap', from: 3, to: 3, reason: 'rebase' }
  const decisions = () => agent.commands.filter(({ body }) => body.kind === 'permission.decide')
  const account = (rev: number, atSeq = 90) =>
    hostState(sessionId, { atSeq, rev, status: { status: 'needs_you' }, requests: [ask('r1')] })

  /** The log behind the gap asks again, and nobody knows whether the host has the answer. */
  async function reopened(answer: CommandAnswer): Promise<void> {
    agent.answer = () => new Promise(() => {})
    agent.cancelAnswer = answer
    await decide(ana, 'allow')
    await agent.waiter.until(() => decisions().length === 1)
    await send(3, gap, requested('r1'))
    await agent.waiter.until(() => agent.cancels.length === 1)
  }

  it('[PERM-1.22] [PERM-1.24] is called back, and can be made again by anybody once the agent says that it never had it', async () => {
    await reopened({ state: 'cancelled' })
    await until(() => row()?.decision === null)
    const lost = decisions()[0]?.commandId ?? ''
    expect(agent.cancels).toEqual([lost])
    // It may have run before the log was lost: nobody says of it that it did not.
    expect((await hub.store.reads.commands.find(lost))?.state).toBe('outcome_unknown')
    expect(await waiting()).toEqual(['r1'])
    agent.answer = () => ({ state: 'accepted' })
    await decide(ben, 'deny')
    await expect(decide(ana, 'allow')).rejects.toMatchObject({ code: 'PERMISSION_ALREADY_DECIDED' })
    await agent.waiter.until(() => decisions().length === 2)
    expect(decisions()[1]).toMatchObject({ body: { requestId: 'r1', decision: 'deny' } })
    await send(5, resolved('r1', 'applied', { decision: 'deny' }))
    expect(row()).toMatchObject({ outcome: 'applied', decision: 'deny', deciderName: ben.name })
    const audit = await hub.store.prisma.audit.findMany({ where: { action: 'permission.decision_lost' } })
    expect(audit).toMatchObject([{ object: 'r1', detail: expect.stringContaining('allow') }])
  })

  it('[AUD-1] is emptied with its row of the audit log, or not at all', async () => {
    const db = new Database(hub.store.file)
    db.exec(`CREATE TRIGGER unwritable BEFORE INSERT ON Audit WHEN NEW.action = 'permission.decision_lost'
      BEGIN SELECT RAISE(ABORT, 'not now'); END`)
    await reopened({ state: 'cancelled' })
    await hub.until(() => hub.warnings.some(({ message }) => message === 'could not recover a lost decision'))
    expect(row()).toMatchObject({ decision: 'allow', outcome: 'open' })
    db.exec('DROP TRIGGER unwritable')
    db.close()
    await agent.state(account(1))
    await until(() => row()?.decision === null)
    expect(await hub.store.prisma.audit.count({ where: { action: 'permission.decision_lost' } })).toBe(1)
  })

  it.each(['accepted', 'done', 'outcome_unknown'] as const)(
    'stands where the agent says %s: nobody can decide a second time',
    async (state) => {
      await reopened({ state })
      await agent.state(account(1))
      await expect(decide(ben, 'deny')).rejects.toMatchObject({ code: 'PERMISSION_ALREADY_DECIDED' })
      expect(row()).toMatchObject({ outcome: 'open', decision: 'allow' })
    },
  )

  it('[PERM-2] [PERM-1.24] can be made again where the host refused it and goes on asking', async () => {
    const error = { code: 'EDIT_NOT_ALLOWED', message: 'no', retryable: false }
    agent.answer = () => ({ state: 'refused', error })
    await agent.state(account(1))
    await decide(ana, 'allow')
    await until(() => row()?.commandState === 'refused')
    expect(await waiting()).toEqual([])
    await agent.state(account(2))
    await until(() => row()?.decision === null)
    expect(await waiting()).toEqual(['r1'])
  })

  it.each(['DISK_FULL', 'DISK_FAILING'])(
    '[FLOW-4.5] is open again at once where the machine says %s: no later account is needed',
    async (code) => {
      agent.answer = () => ({ state: 'refused', error: { code, message: 'no room', retryable: true } })
      await decide(ana, 'allow')
      await until(() => row()?.decision === null)
      expect(await waiting()).toEqual(['r1'])
      agent.answer = () => ({ state: 'accepted' })
      await decide(ben, 'deny')
      expect(row()).toMatchObject({ outcome: 'open', decision: 'deny', deciderName: ben.name })
    },
  )

  it('[PERM-1.24] keeps its row where the host refused it because the program is gone', async () => {
    agent.answer = () => ({ state: 'refused', error: { code: 'REQUEST_GONE', message: 'gone', retryable: false } })
    await decide(ana, 'allow')
    await until(() => row()?.commandState === 'refused')
    await send(3, resolved('r1', 'orphaned'))
    expect(row()).toMatchObject({ outcome: 'orphaned', decision: 'allow', deciderName: ana.name })
  })
})
