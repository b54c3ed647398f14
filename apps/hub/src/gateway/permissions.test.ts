import type { AskForm, DecisionRequest, PermissionAsk } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { ask, hostState, liveHub, liveSession, requested, resolved } from '../testing/scenario'
import { ana, ben, TestHub, vic } from '../testing/test-hub'

describe('permission requests', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
  })
  afterEach(() => hub.stop())

  const decide = (requestId: string, decision: 'allow' | 'deny' = 'allow', actor = ana, key = hub.key()) =>
    hub.core.permissions.decide(actor, requestId, { decision, digest: `digest-${requestId}` }, key, 'Firefox')
  /** An allow that brings something along. */
  const give = (requestId: string, more: Partial<DecisionRequest>) =>
    hub.core.permissions.decide(
      ana,
      requestId,
      { decision: 'allow', digest: `digest-${requestId}`, ...more },
      hub.key(),
    )
  const decisions = () => agent.commands.filter((command) => command.body.kind === 'permission.decide')
  const shown = async () => (await hub.core.sessions.snapshot(ana, sessionId)).session

  it('[PERM-1.5] [CMD-1.1] a decision is stored with who, where and when, and its command goes to the host', async () => {
    await agent.emit(sessionId, requested('r1'))
    const view = await decide('r1')
    expect(view).toMatchObject({
      decision: { answer: 'allow', userId: 'u_ana', userName: 'Ana', device: 'Firefox' },
      outcome: 'open',
    })
    await agent.waiter.until(() => decisions().length === 1)
    expect(decisions()[0]?.body).toEqual({
      kind: 'permission.decide',
      requestId: 'r1',
      procId: 'p1',
      decision: 'allow',
      digest: 'digest-r1',
    })
    await agent.emit(sessionId, resolved('r1', 'applied', { commandId: decisions()[0]?.commandId ?? '' }))
    expect((await shown()).requests).toMatchObject([{ decision: { commandState: 'done' }, outcome: 'applied' }])
  })

  it('[T35] [F28] [PERM-1.6] two people answer at once, a hundred times: one winner each, the other is told', async () => {
    const ids = Array.from({ length: 100 }, (_, i) => `r${i}`)
    await agent.emit(sessionId, ...ids.slice(0, 50).map((id) => requested(id)))
    await agent.emit(sessionId, ...ids.slice(50).map((id) => requested(id)))
    for (const id of ids) {
      const answers = await Promise.allSettled([decide(id, 'allow', ana), decide(id, 'deny', ben)])
      const won = answers.filter((answer) => answer.status === 'fulfilled')
      const lost = answers.filter((answer) => answer.status === 'rejected')
      expect([won.length, lost[0]?.reason.code]).toEqual([1, 'PERMISSION_ALREADY_DECIDED'])
    }
    expect(await hub.store.prisma.command.count({ where: { kind: 'permission.decide' } })).toBe(100)
  })

  it('[T36] the same decision posted twice with one key has one effect', async () => {
    await agent.emit(sessionId, requested('r1'))
    const [a, b] = await Promise.all([decide('r1', 'allow', ana, 'k'), decide('r1', 'allow', ana, 'k')])
    expect(a.decision?.at).toBe(b.decision?.at)
    expect(await hub.store.prisma.command.count({ where: { kind: 'permission.decide' } })).toBe(1)
  })

  it('[T37] [PERM-1.20] a decision made in time but applied too late keeps its row and shows what became of it', async () => {
    await agent.emit(sessionId, requested('r1'))
    await hub.leave(agent)
    expect((await decide('r1')).decision?.commandState).toBe('pending')
    await agent.connect()
    await agent.emit(sessionId, resolved('r1', 'expired'))
    expect((await shown()).requests).toMatchObject([{ decision: { answer: 'allow' }, outcome: 'expired' }])
  })

  it('[T38] [T37] a decision after the end of its request is REQUEST_GONE', async () => {
    await agent.emit(sessionId, requested('r1'), resolved('r1', 'orphaned'), requested('r2'), resolved('r2', 'expired'))
    await expect(decide('r1')).rejects.toMatchObject({ code: 'REQUEST_GONE', details: { outcome: 'orphaned' } })
    await expect(decide('r2')).rejects.toMatchObject({ code: 'REQUEST_GONE', details: { outcome: 'expired' } })
    await expect(decide('none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('[PERM-2.1] a decision on another digest than the one that waits is refused', async () => {
    await agent.emit(sessionId, requested('r1'))
    const stale = { decision: 'allow', digest: 'digest-of-before' } as const
    await expect(hub.core.permissions.decide(ana, 'r1', stale, hub.key())).rejects.toMatchObject({
      code: 'DIGEST_MISMATCH',
    })
    expect((await decide('r1')).decision?.answer).toBe('allow')
  })

  it('[PERM-2.2] an edit goes with an allow alone, and only where the backend takes it', async () => {
    await agent.emit(sessionId, requested('r1'), requested('r2', { canEdit: true }))
    const edit = (requestId: string, decision: 'allow' | 'deny') =>
      hub.core.permissions.decide(
        ana,
        requestId,
        { decision, digest: `digest-${requestId}`, updatedInput: { command: 'ls -l' } },
        hub.key(),
      )
    await expect(edit('r1', 'allow')).rejects.toMatchObject({ code: 'EDIT_NOT_ALLOWED' })
    await expect(edit('r2', 'deny')).rejects.toMatchObject({ code: 'EDIT_NOT_ALLOWED' })
    // Five bytes of a body for each number, and 22 of what a host would read.
    const numbers = { decision: 'allow', digest: 'digest-r2', updatedInput: { of: Array(60_000).fill(1e20) } } as const
    await expect(hub.core.permissions.decide(ana, 'r2', numbers, hub.key())).rejects.toMatchObject({
      code: 'FRAME_TOO_LARGE',
    })
    await edit('r2', 'allow')
    await agent.waiter.until(() => decisions().length === 1)
    expect(decisions()[0]?.body).toMatchObject({ updatedInput: { command: 'ls -l' } })
  })

  it('[PERM-2.17] [PERM-2.18] half an answer is refused, and so is an allow that answers nothing', async () => {
    const form = { fields: [{ kind: 'text', name: 'name', label: 'Your name?', required: true }] }
    const answerFields = { field: 'content', names: ['name'] }
    const broken = { fields: [], problem: { code: 'FORM_UNREADABLE', message: 'The form cannot be shown.' } }
    await agent.emit(
      sessionId,
      requested('r1', { form, answerFields } as Partial<PermissionAsk>),
      requested('r2', { form: broken, answerFields: { field: 'content', names: [] } } as Partial<PermissionAsk>),
    )
    const halves: Partial<DecisionRequest>[] = [
      {},
      { answers: {} },
      { answers: { name: ' ' } },
      { answers: { name: 3 } },
    ]
    for (const more of halves) await expect(give('r1', more)).rejects.toMatchObject({ code: 'ANSWER_INVALID' })
    await expect(give('r2', {})).rejects.toMatchObject({ code: 'FORM_UNREADABLE' })
    await give('r2', { decision: 'deny' })
    await give('r1', { answers: { name: 'Ana' } })
    await agent.waiter.until(() => decisions().length === 2)
    expect(decisions()[1]?.body).toMatchObject({ answers: { name: 'Ana' } })
  })

  it('[PERM-2.19] a form that cannot be shown can only be refused, whatever an allow of it brings along', async () => {
    const form: AskForm = {
      fields: [],
      problem: { code: 'FORM_UNREADABLE', message: 'The form cannot be shown.' },
    }
    await agent.emit(
      sessionId,
      requested('r1', { form, canEdit: true, answerFields: { field: 'content', names: ['name'] } }),
      requested('r2', { form, canEdit: true, canSetMode: true }),
    )
    const more: Partial<DecisionRequest>[] = [
      {},
      { answers: { name: 'Ana' } },
      { updatedInput: { content: { name: 'Ana' } } },
      { mode: 'default' },
      { decision: 'allow_session' },
    ]
    for (const requestId of ['r1', 'r2'])
      for (const one of more) await expect(give(requestId, one)).rejects.toMatchObject({ code: 'FORM_UNREADABLE' })
    for (const requestId of ['r1', 'r2']) await decide(requestId, 'deny')
  })

  it('[PERM-2.17] [PERM-2.20] a form takes answers that fit it, and no edit around them', async () => {
    const form: AskForm = { fields: [{ kind: 'text', name: 'name', label: 'Your name?', required: true }] }
    const fields = { form, canEdit: true }
    await agent.emit(
      sessionId,
      requested('r1', { ...fields, answerFields: { field: 'content', names: ['name'] } }),
      requested('r2', fields),
    )
    const edits = [{ content: { name: 3 } }, { content: { name: 'Ana' } }, {}]
    for (const requestId of ['r1', 'r2'])
      for (const updatedInput of edits)
        await expect(give(requestId, { updatedInput })).rejects.toMatchObject({
          code: 'EDIT_NOT_ALLOWED',
        })
    await expect(decide('r2')).rejects.toMatchObject({ code: 'ANSWER_INVALID' })
    await give('r1', { answers: { name: 'Ana' } })
  })

  it('[PERM-2.4] a plan is approved into one of the modes that it offers', async () => {
    const offers = (modes?: { ask?: string; acceptEdits?: string }) => ({
      canSetMode: true,
      plan: { text: '# Plan', ...(modes ? { modes } : {}) },
    })
    await agent.emit(sessionId, requested('r1', offers({ ask: 'default' })), requested('r2', offers()))
    for (const [requestId, mode] of [
      ['r1', 'acceptEdits'],
      ['r1', 'ask'],
      ['r1', 'bypassPermissions'],
      ['r2', 'default'],
    ] as const)
      await expect(give(requestId, { mode })).rejects.toMatchObject({ code: 'EDIT_NOT_ALLOWED' })
    await give('r1', { mode: 'default' })
    await decide('r2')
  })

  it('[T43] [PERM-6.1] [PERM-6.2] five wait at once, each is listed and can be answered in any order', async () => {
    const ids = ['r1', 'r2', 'r3', 'r4', 'r5']
    await agent.emit(sessionId, ...ids.map((id, i) => requested(id, { askedAt: 1_000 + i })))
    const pending = async () => (await hub.core.inbox.get(ben)).requests.map((request) => request.ask.requestId)
    expect(await pending()).toEqual(ids)
    for (const id of ['r3', 'r5', 'r1']) await decide(id, 'deny')
    expect(await pending()).toEqual(['r2', 'r4'])
  })

  it('[PERM-6.3] [T46] a decided request is never shown as waiting again, although the host still lists it', async () => {
    const waiting = hostState(sessionId, { status: { status: 'needs_you' }, requests: [ask('r1')], atSeq: 9 })
    await agent.state(waiting)
    await decide('r1')
    await agent.state({ ...waiting, rev: 2 })
    expect(await shown()).toMatchObject({
      status: { status: 'running' },
      requests: [{ decision: { answer: 'allow' } }],
    })
    expect((await hub.core.inbox.get(ana)).requests).toEqual([])
  })

  it('[PERM-3.1] [F23] [F26] pending survives a restart of the hub; a decision committed before it is delivered after', async () => {
    await agent.emit(sessionId, requested('r1'), requested('r2'))
    await hub.leave(agent)
    await decide('r1')
    await hub.crash()
    await hub.store.close()
    hub = await TestHub.start({ file: hub.store.file })
    expect((await hub.core.inbox.get(ana)).requests.map((request) => request.ask.requestId)).toEqual(['r2'])
    agent = hub.adopt(agent)
    await agent.connect()
    await agent.waiter.until(() => decisions().length === 1)
    expect(decisions()[0]?.body).toMatchObject({ requestId: 'r1', decision: 'allow' })
  })

  it('[T45] approved while the machine is away: it waits, and is delivered once on return', async () => {
    await agent.emit(sessionId, requested('r1'))
    await hub.leave(agent)
    expect((await decide('r1')).decision?.commandState).toBe('pending')
    await agent.connect()
    await agent.waiter.until(() => decisions().length === 1)
    await hub.core.tick()
    expect(decisions()).toHaveLength(1)
  })

  it('[T49] a viewer may not decide, and the attempt is written down', async () => {
    await agent.emit(sessionId, requested('r1'))
    await expect(decide('r1', 'allow', vic)).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 })
    const [line] = await hub.store.prisma.audit.findMany({ where: { action: 'permission.decide' } })
    expect(line).toMatchObject({ actorId: 'u_vic', object: 'r1', outcome: 'refused' })
  })

  it('[SES-1.2] another agent can neither replace nor close a request that is not its own', async () => {
    await agent.emit(sessionId, requested('r1'))
    const stranger = await hub.connectedAgent('other')
    const own = await liveSession(hub, stranger)
    await stranger.emit(own, requested('r1', { digest: 'forged', toolName: 'Forged' }), resolved('r1', 'withdrawn'))
    expect((await shown()).requests).toMatchObject([{ ask: { toolName: 'Bash' }, outcome: 'open' }])
    expect((await decide('r1')).sessionId).toBe(sessionId)
  })

  it('the audit log cannot be changed or shortened', async () => {
    await hub.core.audit({ actorId: 'x', actorName: 'X', action: 'test', outcome: 'ok' })
    await expect(hub.store.prisma.audit.updateMany({ data: { actorName: 'Y' } })).rejects.toThrow()
    await expect(hub.store.prisma.audit.deleteMany()).rejects.toThrow()
    expect(await hub.store.prisma.audit.count({ where: { actorName: 'X' } })).toBe(1)
  })
})
