/** What a machine says that people did, held against what they did here (VIEW-8). */
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { ask, created, hostState, liveHub, requested, resolved, settings } from '../testing/scenario'
import { ana, ben, type TestHub } from '../testing/test-hub'

const whole = { command: `echo ${'x'.repeat(100)}` }
const wholeText = JSON.stringify(whole)
const cut = {
  cut: true,
  head: wholeText.slice(0, 20),
  tail: wholeText.slice(-20),
  bytes: wholeText.length,
  sha256: createHash('sha256').update(wholeText).digest('hex'),
} as const

const author = { userId: ana.userId, name: ana.name }

describe('a person is named for what they did here', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
  })
  afterEach(() => hub.stop())

  const decide = async (requestId: string, change: object = {}, actor = ana) => {
    const request = { decision: 'allow', digest: `digest-${requestId}`, ...change } as const
    await hub.core.permissions.decide(actor, requestId, request, hub.key())
    const sent = () => agent.commands.find(({ body }) => 'requestId' in body && body.requestId === requestId)
    await agent.waiter.until(() => sent() !== undefined)
    return sent()?.commandId ?? ''
  }
  /** The names beside the events behind the first, on a page and as they were pushed. */
  const names = async () => {
    const { events } = await hub.core.sessions.snapshot(ana, sessionId)
    return events.slice(1).map(({ doneBy }) => doneBy?.name)
  }
  const unproven = async () =>
    (await hub.store.prisma.audit.findMany({ where: { action: 'machine.unproven' } })).map(({ actorId, detail }) => ({
      actorId,
      ...JSON.parse(detail ?? '{}'),
    }))

  it('[VIEW-8.5] for a decision, and for none that only the machine tells', async () => {
    await agent.emit(sessionId, requested('r1'), requested('r2'))
    const commandId = await decide('r1')
    await agent.emit(
      sessionId,
      resolved('r1', 'applied', { decision: 'allow', by: author, commandId }),
      resolved('r2', 'applied', { decision: 'allow', by: author, commandId }),
    )
    expect(await names()).toEqual([undefined, undefined, 'Ana', undefined])
    expect(await unproven()).toEqual([
      {
        actorId: `agent:${agent.agentId}`,
        seq: 5,
        kind: 'permission_resolved',
        commandId,
        requestId: 'r2',
        claimedId: 'u_ana',
        claimedName: 'Ana',
      },
    ])
  })

  it.each([
    ['another answer', { decision: 'allow_session' }],
    ['another action', { digest: 'digest-of-another' }],
    ['an edit that nobody made', { edited: true, effectiveInput: { command: 'rm -rf /' } }],
    ['another call, which nobody was asked about', { callId: 'call-of-rm' }],
    ['words that nobody said', { reason: 'Because I say so.' }],
    ['a mode that nobody set', { mode: 'bypassPermissions' }],
    [
      'an active permission that nobody gave',
      { grant: { grantId: 'g1', scope: { kind: 'tool', toolName: 'Bash' }, label: 'all', expiresAt: 9 } },
    ],
  ] as const)('[VIEW-8.5] not for a decision that the machine tells with %s', async (_what, change) => {
    await agent.emit(sessionId, requested('r1'))
    const commandId = await decide('r1')
    await agent.emit(sessionId, resolved('r1', 'applied', { decision: 'allow', by: author, commandId, ...change }))
    expect(await names()).toEqual([undefined, undefined])
    expect(await unproven()).toHaveLength(1)
  })

  it('[VIEW-8] [PERM-5] for the active permission whose words were shown, and for no wider one', async () => {
    const sessionScope = { scope: { kind: 'exact' as const }, label: 'exactly this action' }
    const grant = { grantId: 'g1', scope: sessionScope.scope, label: 'exactly this action', expiresAt: 9 }
    await agent.emit(sessionId, requested('r1', { sessionScope }), requested('r2', { sessionScope }))
    const told = { decision: 'allow_session', by: author } as const
    const first = { ...told, commandId: await decide('r1', { decision: 'allow_session' }), grant }
    const wider = { ...grant, grantId: 'g2', scope: { kind: 'tool' as const, toolName: 'Bash' } }
    const second = { ...told, commandId: await decide('r2', { decision: 'allow_session' }), grant: wider }
    await agent.emit(sessionId, resolved('r1', 'applied', first), resolved('r2', 'applied', second))
    expect((await names()).slice(2)).toEqual(['Ana', undefined])
  })

  it('[VIEW-8] [PERM-5] for the scope that was chosen, and for nothing that the machine says such a permission answered', async () => {
    const exact = { scope: { kind: 'exact' as const }, label: 'exactly this action' }
    const file = { scope: { kind: 'edit_file' as const, file: '/w/a' }, label: 'edits of /w/a' }
    const scopes = [exact, file].map((one, index) => ({ scopeId: `s${index}`, ...one }))
    await agent.emit(sessionId, requested('r1', { sessionScope: exact, scopes }), requested('r4'))
    const request = { decision: 'allow_session', scopeId: 's1' } as const
    await expect(decide('r1', { ...request, scopeId: 's2' })).rejects.toMatchObject({ code: 'EDIT_NOT_ALLOWED' })
    await expect(decide('r1', { ...request, decision: 'allow' })).rejects.toMatchObject({ code: 'EDIT_NOT_ALLOWED' })
    const commandId = await decide('r1', request)
    const grant = { grantId: 'g1', ...file, expiresAt: 9 }
    const given = { decision: 'allow_session', by: author, commandId, grant } as const
    const answered = (by: object) => ({ decision: 'allow' as const, by: { grantId: 'g1', label: file.label, ...by } })
    await agent.emit(
      sessionId,
      resolved('r1', 'applied', given),
      resolved('r2', 'applied', answered({ commandId })),
      resolved('r3', 'applied', answered({ commandId, grantId: 'never-existed' })),
      resolved('r4', 'applied', { ...answered({ commandId }), commandId: await decide('r4') }),
    )
    expect((await names()).slice(2)).toEqual(['Ana', undefined, undefined, undefined])
    expect(await unproven()).toEqual([])
  })

  it('[VIEW-8] [PERM-13.4] for the rule of the folder whose words were chosen, and for none that nobody chose', async () => {
    const file = { scope: { kind: 'edit_file' as const, file: '/w/a' }, label: 'edits of /w/a' }
    const folderRule = { folder: '/w', lifeMs: 9, scopes: [{ scopeId: 's0', ...file }] }
    const asks = ['r1', 'r2', 'r3'].map((id) => requested(id, { folderRule }))
    await agent.emit(sessionId, ...asks, requested('r4'))
    const request = { decision: 'allow_session', scopeId: 's0', always: true } as const
    await expect(decide('r4', request)).rejects.toMatchObject({ code: 'EDIT_NOT_ALLOWED' })
    await expect(decide('r1', { ...request, decision: 'allow' })).rejects.toMatchObject({ code: 'EDIT_NOT_ALLOWED' })
    const made = { folder: '/w', backend: 'scripted', createdAt: 1, expiresAt: 9, author, sessionId }
    const left = (label: string) => ({ folderRule: { ruleId: 'q', ...file, ...made, label } })
    const told = { decision: 'allow_session', by: author } as const
    await agent.emit(
      sessionId,
      resolved('r1', 'applied', { ...told, commandId: await decide('r1', request), ...left(file.label) }),
      resolved('r2', 'applied', { ...told, commandId: await decide('r2', request), ...left('everything') }),
      resolved('r3', 'applied', {
        ...told,
        commandId: await decide('r3', { decision: 'allow_session' }),
        ...left(file.label),
      }),
    )
    expect((await names()).slice(4)).toEqual(['Ana', undefined, undefined])
  })

  it('[VIEW-8.5] [VIEW-8.13] for an edit as it was sent, however its secrets are marked', async () => {
    await agent.emit(sessionId, requested('r1', { canEdit: true }))
    const commandId = await decide('r1', { updatedInput: { command: 'use [redacted:github-token#1]' } })
    const ran = { edited: true, effectiveInput: { command: 'use [redacted:github-token#1]' }, effectiveDigest: 'e' }
    await agent.emit(sessionId, resolved('r1', 'applied', { decision: 'allow', by: author, commandId, ...ran }))
    expect(await names()).toEqual([undefined, 'Ana'])
    const [row] = await hub.store.prisma.audit.findMany({ where: { action: 'permission.applied' } })
    expect(JSON.parse(row?.detail ?? '')).toMatchObject({
      effectiveDigest: 'e',
      commandId,
      askedInput: expect.stringContaining('command'),
      effectiveInput: '{"command":"use [redacted:github-token#1]"}',
    })
    expect((await hub.core.auditLog.page(ana, { limit: 1 })).state.intact).toBe(true)
  })

  it('[VIEW-8.4] [VIEW-8.12] for a prompt with its own words, once; edited in the queue, for whoever wrote them', async () => {
    const prompt = (promptId: string) =>
      hub.core.sessions.prompt(ana, sessionId, { promptId, text: 'Build' }, hub.key())
    const edit = { op: 'edit', promptId: 'p3', rev: 0, text: 'Build more' } as const
    const commandIds = [await prompt('p1'), await prompt('p2'), await prompt('p3')].map(({ commandId }) => commandId)
    await hub.core.sessions.queue(ben, sessionId, edit, hub.key())
    const said = (index: number, text: string) =>
      ({ kind: 'user_message', promptId: `p${index + 1}`, text, author, commandId: commandIds[index] ?? '' }) as const
    await agent.emit(sessionId, said(0, 'Build'), said(1, 'Delete all'), said(2, 'Build more'))
    expect(await names()).toEqual(['Ana', undefined, 'Ben'])
    await agent.emit(sessionId, said(0, 'Build'))
    expect((await names()).at(-1)).toBeUndefined()
    const nobody = { kind: 'user_message', promptId: 'p9', text: 'Build', author } as const
    await agent.emit(sessionId, nobody)
    expect((await names()).at(-1)).toBeUndefined()
    expect((await unproven()).map(({ seq }) => seq)).toEqual([3, 5, 6])
  })

  it('[VIEW-8.3] not by a command of another session', async () => {
    const { commandId } = await hub.core.sessions.prompt(ana, sessionId, { promptId: 'p1', text: 'Build' }, hub.key())
    const other = await hub.core.sessions.create(
      ana,
      { agentId: agent.agentId, settings: { backend: 'scripted', workDir: '/code' } },
      hub.key(),
    )
    await agent.emit(other.sessionId, { kind: 'user_message', promptId: 'p1', text: 'Build', author, commandId })
    const { events } = await hub.core.sessions.snapshot(ana, other.sessionId)
    expect(events.map(({ doneBy }) => doneBy)).toEqual([undefined])
  })

  it('[VIEW-8.11] [PERM-1.7] the action that was decided on stays as it was, whatever the machine asks under the same id later', async () => {
    await agent.emit(sessionId, requested('r1'))
    await decide('r1')
    await agent.emit(sessionId, requested('r1', { input: { command: 'rm -rf /' } }))
    await agent.state(
      hostState(sessionId, { requests: [ask('r1', { input: { command: 'rm' }, digest: 'd' })], atSeq: 9 }),
    )
    const { session } = await hub.core.sessions.snapshot(ana, sessionId)
    expect(session.requests).toMatchObject([
      { ask: { input: { command: 'ls' }, digest: 'digest-r1' }, decision: { userName: 'Ana' } },
    ])
  })

  it('[VIEW-8.11] an action keeps what was first shown of it, so that nobody allows another than they saw', async () => {
    await agent.emit(sessionId, requested('r1'), requested('r2', { input: cut, inputCut: true }))
    const forged = { input: { command: 'rm -rf /' } }
    await agent.emit(sessionId, requested('r1', forged), requested('r2', forged))
    await agent.state(hostState(sessionId, { requests: [ask('r1', forged), ask('r2', forged)], atSeq: 9 }))
    await agent.emit(sessionId, requested('r1', { ...forged, digest: 'another' }))
    const shown = await hub.core.sessions.snapshot(ana, sessionId)
    expect(shown.session.requests.map((request) => request.ask)).toMatchObject([
      { input: { command: 'ls' }, digest: 'digest-r1' },
      { input: cut, inputCut: true },
    ])
    await agent.state(hostState(sessionId, { requests: [ask('r2', { input: whole })], rev: 2, atSeq: 9 }))
    const { session } = await hub.core.sessions.snapshot(ana, sessionId)
    expect(session.requests[1]?.ask).toMatchObject({ input: whole })
  })

  it('[VIEW-8.8] each command bears out one deed of a kind: none is told again', async () => {
    await agent.emit(sessionId, requested('r1', { canSetMode: true }))
    const commandId = await decide('r1', { mode: 'acceptEdits' })
    const said = [
      resolved('r1', 'applied', { decision: 'allow', by: author, commandId, mode: 'acceptEdits' }),
      { kind: 'session_configured', changes: { mode: 'acceptEdits' }, by: 'person', author, commandId },
    ] as const
    await agent.emit(sessionId, ...said, ...said)
    expect((await names()).slice(1)).toEqual(['Ana', 'Ana', undefined, undefined])
    expect(await unproven()).toHaveLength(2)
  })

  it.each([
    ['other settings', { settings: { ...settings, mode: 'bypassPermissions' } }],
    ['another title', { title: 'Delete all' }],
    ['another session before it', { continuedFrom: 'ses_other' }],
  ])('[VIEW-8.6] not for a session that the machine tells with %s', async (_what, change) => {
    const request = { agentId: agent.agentId, settings: { ...settings, mode: 'plan' } }
    const made = await hub.core.sessions.create(ana, request, hub.key())
    const { commandId } = made
    await agent.waiter.until(() => agent.commands.some((command) => command.commandId === commandId))
    const event = { ...created(agent.log(made.sessionId).logId), settings: request.settings, author, commandId }
    await agent.emit(made.sessionId, { ...event, ...change })
    const { events } = await hub.core.sessions.snapshot(ana, made.sessionId)
    expect(events.map(({ doneBy }) => doneBy)).toEqual([undefined])
  })

  it('[VIEW-8] a queued prompt has the name of whoever sent it, and of nobody else', async () => {
    const { commandId } = await hub.core.sessions.prompt(ana, sessionId, { promptId: 'p1', text: 'Build' }, hub.key())
    const entry = { promptId: 'p1', rev: 0, text: 'Build', commandId, authorName: 'Ben' }
    const forged = { ...entry, promptId: 'p2', commandId: 'cmd_none', authorName: 'Ana' }
    await agent.state(hostState(sessionId, { queue: [entry, forged] }))
    const { session } = await hub.core.sessions.snapshot(ana, sessionId)
    expect(session.queue.map(({ authorName }) => authorName)).toEqual(['Ana', undefined])
  })

  it('[VIEW-8.17] a machine that claims without end leaves 20 rows a minute', async () => {
    const claim = (n: number) => ({ kind: 'user_message', promptId: `p${n}`, text: 'x', author }) as const
    await agent.emit(sessionId, ...Array.from({ length: 60 }, (_, n) => claim(n)))
    expect(await unproven()).toHaveLength(20)
  })
})
