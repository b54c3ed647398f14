import type { CommandAnswer, HostState } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { hostState, liveHub, liveSession, settings, text } from '../testing/scenario'
import { ana, ben, TestHub, vic } from '../testing/test-hub'

const HOUR = 3_600_000

describe('commands', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  let skipped = 0
  beforeEach(async () => {
    skipped = 0
    ;({ hub, agent, sessionId } = await liveHub({ now: () => Date.now() + skipped }))
  })
  afterEach(() => hub.stop())

  const commandsOf = (kind: string) => agent.commands.filter((command) => command.body.kind === kind)
  const prompt = (promptId: string, words = 'do it', key = hub.key()) =>
    hub.core.sessions.prompt(ana, sessionId, { promptId, text: words }, key)
  const settled = async (commandId: string, state: string, of = sessionId) => {
    const viewer = await hub.viewer()
    await viewer.ask('watch', { sessionId: of, afterSeq: 0, hubEpoch: hub.core.hub.hubEpoch() })
    const arrived = () => hub.commandState(commandId) === state
    await viewer.until(arrived)
  }

  it('[SES-2.1] [CMD-1.1] creating a session stores row and command together, with a title from the prompt', async () => {
    await hub.leave(agent)
    const made = await hub.core.sessions.create(
      ben,
      { agentId: agent.agentId, settings, prompt: 'Fix the  roof\nand the door' },
      hub.key(),
    )
    expect(made.state).toBe('pending')
    const { session } = await hub.core.sessions.snapshot(ben, made.sessionId)
    expect(session).toMatchObject({
      title: 'Fix the roof and the door',
      status: { status: 'waiting_for_agent' },
      head: 0,
      commands: [{ commandId: made.commandId, kind: 'session.create', state: 'pending' }],
    })
  })

  it('[VIEW-9.1] [VIEW-9.3] [CMD-5] of long prompts that came to nothing a view has the beginnings, and gives each whole when asked', async () => {
    const words = (n: number) => `${n} ${'😀'.repeat(100_000)}`
    await hub.leave(agent)
    const made: string[] = []
    for (let n = 0; n < 20; n++) made.push((await prompt(`p${n}`, words(n))).commandId)
    skipped = 2 * HOUR
    await hub.core.tick()
    const { session } = await hub.core.sessions.snapshot(ana, sessionId)
    expect(JSON.stringify(session).length).toBeLessThan(100_000)
    expect(session.commands.map(({ commandId, state }) => [commandId, state])).toEqual(
      made.map((id) => [id, 'expired']),
    )
    for (const [n, { commandId, text: shown = '', textLength }] of session.commands.entries()) {
      expect([textLength, words(n).startsWith(shown)]).toEqual([words(n).length, true])
      expect(shown).not.toMatch(/[\ud800-\udbff]$/)
      expect(await hub.core.sessions.commandText(vic, sessionId, commandId)).toEqual({ text: words(n) })
    }
    // It reads none of them again.
    const again = await hub.core.viewerReads.view(sessionId)
    expect(again?.commands).toEqual(session.commands)
    const [first = ''] = made
    await expect(hub.core.sessions.commandText(vic, 'another', first)).rejects.toThrow('Session not found')
    await hub.core.sessions.dismissCommand(ana, sessionId, first)
    await expect(hub.core.sessions.commandText(vic, sessionId, first)).rejects.toThrow('Not found')
  })

  it('[CMD-5.22] a prompt that still waits when its session ends came to nothing, and keeps its text', async () => {
    const words = 'long '.repeat(200).trim()
    const { commandId: began } = await prompt('p1')
    const { commandId: waits } = await prompt('p2', words)
    for (const id of [began, waits]) await settled(id, 'accepted')
    const early = hub.core.sessions.dismissCommand(ana, sessionId, waits)
    await expect(early).rejects.toThrow('The session has no failed command with this id.')
    await agent.emit(sessionId, { kind: 'user_message', promptId: 'p1', text: 'do it', commandId: began })
    await agent.emit(sessionId, { kind: 'session_ended', why: 'stopped' })
    await settled(waits, 'refused')
    const { session } = await hub.core.sessions.snapshot(ana, sessionId)
    expect(session.commands).toMatchObject([
      { commandId: waits, state: 'refused', text: words, error: { code: 'SESSION_ENDED' } },
    ])
    await hub.core.sessions.dismissCommand(ana, sessionId, waits)
  })

  it('[CMD-5.22] a prompt whose answer comes behind the end of its session came to nothing, too', async () => {
    let release = (_: CommandAnswer) => {}
    agent.answer = () => new Promise((resolve) => (release = resolve))
    const { commandId } = await prompt('p1', 'said too late')
    await agent.waiter.until(() => commandsOf('prompt.send').length === 1)
    await agent.emit(sessionId, { kind: 'session_ended', why: 'stopped' })
    release({ state: 'accepted' })
    await settled(commandId, 'refused')
    const { session } = await hub.core.sessions.snapshot(ana, sessionId)
    expect(session.commands).toMatchObject([
      { commandId, state: 'refused', text: 'said too late', error: { code: 'SESSION_ENDED' } },
    ])
  })

  it('[CMD-2.3] [CMD-2.2] go out in their order, one after another; interrupt and stop stand outside it', async () => {
    let release = (_: CommandAnswer) => {}
    agent.answer = (command) =>
      command.cmdSeq === 2 ? new Promise((resolve) => (release = resolve)) : { state: 'accepted' }
    await agent.state(hostState(sessionId, { turnId: 't1' } as Partial<HostState>))
    await prompt('p1')
    await agent.waiter.until(() => commandsOf('prompt.send').length === 1)
    await prompt('p2')
    await hub.core.sessions.interrupt(ana, sessionId, { turnId: 't1' }, hub.key())
    await agent.waiter.until(() => commandsOf('turn.interrupt').length === 1)
    expect(commandsOf('prompt.send')).toHaveLength(1)
    release({ state: 'accepted' })
    await agent.waiter.until(() => commandsOf('prompt.send').length === 2)
    expect(commandsOf('prompt.send').map((command) => command.cmdSeq)).toEqual([2, 3])
    expect(commandsOf('turn.interrupt')[0]?.cmdSeq).toBeUndefined()
  })

  it('[CMD-1.3] [CMD-1.4] [T36] the same key gives the same answer and one effect; with another body it is refused', async () => {
    const first = await prompt('p1', 'once', 'k1')
    expect(await prompt('p1', 'once', 'k1')).toEqual(first)
    await expect(prompt('p1', 'twice', 'k1')).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' })
    const [a, b] = await Promise.all([prompt('p2', 'same', 'k2'), prompt('p2', 'same', 'k2')])
    expect(a).toEqual(b)
    expect(await hub.store.prisma.command.count({ where: { kind: 'prompt.send' } })).toBe(2)
    await expect(prompt('p3', 'x', '')).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REQUIRED' })
    expect((await hub.core.sessions.prompt(ben, sessionId, { promptId: 'p1', text: 'once' }, 'k1')).commandId).not.toBe(
      first.commandId,
    )
  })

  it('[CMD-2.4] [F26] what was not answered is sent again after a reconnect and after a restart of the hub', async () => {
    agent.answer = () => new Promise(() => {})
    const { commandId } = await prompt('p1')
    await agent.waiter.until(() => commandsOf('prompt.send').length === 1)
    agent.close()
    await agent.connect()
    await agent.waiter.until(() => commandsOf('prompt.send').length === 2)
    await hub.crash()
    await hub.store.close()
    hub = await TestHub.start({ file: hub.store.file })
    const same = hub.adopt(agent)
    await same.connect()
    await same.waiter.until(() => same.commands.length === 1)
    expect(same.commands[0]?.commandId).toBe(commandId)
    agent = same
    await settled(commandId, 'accepted')
  })

  it('[CMD-2.14] an event that carries its id settles a command', async () => {
    const { commandId } = await prompt('p1')
    await settled(commandId, 'accepted')
    await agent.emit(sessionId, { kind: 'user_message', promptId: 'p1', text: 'do it', commandId })
    expect(hub.commandState(commandId)).toBe('done')
    expect((await hub.core.sessions.snapshot(ana, sessionId)).session.commands).toEqual([])
  })

  it('[SES-1.2] an event cannot settle the command of another session', async () => {
    const { commandId } = await prompt('p1')
    await settled(commandId, 'accepted')
    const other = await liveSession(hub, agent)
    await agent.emit(other, { ...text('mine'), commandId })
    expect(hub.commandState(commandId)).toBe('accepted')
  })

  it('[CMD-5] news of a refusal reach the page, and can be dismissed', async () => {
    const { commandId } = await prompt('p1', 'precious words')
    await settled(commandId, 'accepted')
    const error = { code: 'ALREADY_STARTED', message: 'It has started.', retryable: false }
    await agent.ask('command', { commandId, sessionId, answer: { state: 'refused', error } })
    const shown = async () => (await hub.core.sessions.snapshot(ana, sessionId)).session.commands
    expect(await shown()).toMatchObject([
      { state: 'refused', text: 'precious words', promptId: 'p1', error: { code: 'ALREADY_STARTED' } },
    ])
    await hub.core.sessions.dismissCommand(ana, sessionId, commandId)
    expect(await shown()).toEqual([])
  })

  it('[CMD-5.29] the refused creation is how a session ended, and stays whatever else was refused', async () => {
    const error = { code: 'PATH_NOT_ALLOWED', message: 'Not there.', retryable: false }
    agent.answer = () => ({ state: 'refused', error })
    const made = await hub.core.sessions.create(ana, { agentId: agent.agentId, settings }, hub.key())
    let last = ''
    for (let n = 0; n < 60; n++) {
      const words = { promptId: `more${n}`, text: 'hello' }
      last = (await hub.core.sessions.prompt(ana, made.sessionId, words, hub.key())).commandId
    }
    for (const id of [made.commandId, last]) await settled(id, 'refused', made.sessionId)
    const dismissed = hub.core.sessions.dismissCommand(ana, made.sessionId, made.commandId)
    await expect(dismissed).rejects.toThrow('says how the session ended')
    const { session } = await hub.core.sessions.snapshot(ana, made.sessionId)
    expect(session.status).toMatchObject({ status: 'ended', why: 'failed', error: { code: error.code } })
    const { items } = await hub.core.sessions.list(ana, { limit: 50 })
    expect(items.find(({ sessionId: id }) => id === made.sessionId)?.status).toMatchObject({ status: 'ended' })
  })

  it('[CMD-4.2] the hub expires what it never sent', async () => {
    await hub.leave(agent)
    const { commandId } = await prompt('p1')
    await hub.core.tick()
    expect(hub.commandState(commandId)).toBe('pending')
    skipped = HOUR + 1_000
    await hub.core.tick()
    expect(hub.commandState(commandId)).toBe('expired')
    await agent.connect()
    expect(commandsOf('prompt.send')).toEqual([])
  })

  it.each(['cancelled', 'accepted'] as const)(
    '[CMD-4.3] what was sent and is overdue is called back; the agent answers %s, and that counts',
    async (state) => {
      agent.answer = () => new Promise(() => {})
      const { commandId } = await prompt('p1')
      await agent.waiter.until(() => commandsOf('prompt.send').length === 1)
      agent.close()
      skipped = HOUR + 1_000
      agent.cancelAnswer = { state }
      await agent.connect()
      await agent.waiter.until(() => agent.cancels.length === 1)
      await settled(commandId, state)
      expect(commandsOf('prompt.send')).toHaveLength(1)
    },
  )

  it('[CMD-3] [REB-1.8] [REB-1.9] a rebase leaves accepted commands unknown and requests orphaned', async () => {
    const { commandId } = await prompt('p1')
    await settled(commandId, 'accepted')
    await agent.emit(sessionId, { kind: 'gap', from: 2, to: 2, reason: 'rebase' })
    expect(hub.commandState(commandId)).toBe('outcome_unknown')
  })

  it('[CMD-6.2] questions have an answer, or a reason why not, and leave nothing behind', async () => {
    agent.questionAnswer = { path: '/code', roots: ['/code'], folders: [{ name: 'demo', path: '/code/demo' }] }
    expect((await hub.core.agents.folders(ben, agent.agentId, '/code')).folders).toHaveLength(1)
    agent.questionAnswer = { nonsense: true }
    await expect(hub.core.agents.folders(ben, agent.agentId)).rejects.toMatchObject({ code: 'BACKEND_ERROR' })
    await hub.leave(agent)
    await expect(hub.core.agents.folders(ben, agent.agentId)).rejects.toMatchObject({ code: 'AGENT_OFFLINE' })
  })

  it('[CMD-9.12] whoever may prompt in a session hears the commands of its program; whoever only watches does not', async () => {
    agent.questionAnswer = { commands: [{ name: 'compact', description: 'Free context' }] }
    expect(await hub.core.sessions.commands(ben, sessionId)).toEqual(agent.questionAnswer)
    expect(agent.questions).toEqual([{ kind: 'commands', sessionId }])
    await expect(hub.core.sessions.commands(vic, sessionId)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    agent.questionAnswer = { commands: [{ name: 'x'.repeat(201), description: '' }] }
    await expect(hub.core.sessions.commands(ben, sessionId)).rejects.toMatchObject({ code: 'BACKEND_ERROR' })
  })

  it('[CMD-10.1] [CMD-10.3] whoever may prompt there hears of files, at the pace of a person who types', async () => {
    const { sessions } = hub.core
    agent.questionAnswer = { files: ['src/app.ts'], complete: true }
    expect(await sessions.files(ben, sessionId, 'app')).toEqual(agent.questionAnswer)
    expect(agent.questions).toEqual([{ kind: 'files', sessionId, query: 'app' }])
    await expect(sessions.files(vic, sessionId, '')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    agent.questionAnswer = { files: ['line\nfeed.ts'], complete: true }
    await expect(sessions.files(ben, sessionId, '')).rejects.toMatchObject({ code: 'BACKEND_ERROR' })
    agent.questionAnswer = { files: [], complete: true }
    const many = await Promise.allSettled(Array.from({ length: 100 }, () => sessions.files(ben, sessionId, 'x')))
    const refused = many.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    expect(new Set(refused)).toEqual(new Set(['RATE_LIMITED']))
    expect(await sessions.files(ana, sessionId, 'x')).toEqual(agent.questionAnswer)
  })

  it('a session whose creation the machine refuses has failed, with its reason', async () => {
    const error = { code: 'PATH_NOT_ALLOWED', message: 'Not here.', retryable: false }
    agent.answer = () => ({ state: 'refused', error })
    const made = await hub.core.sessions.create(ana, { agentId: agent.agentId, settings }, hub.key())
    sessionId = made.sessionId
    await settled(made.commandId, 'refused')
    const { session } = await hub.core.sessions.snapshot(ana, sessionId)
    expect(session.status).toEqual({
      status: 'ended',
      why: 'failed',
      error: { code: 'PATH_NOT_ALLOWED', message: 'Not here.' },
    })
    await expect(prompt('p1')).rejects.toMatchObject({ code: 'SESSION_ENDED' })
  })

  it('[T65] a prompt of more than a megabyte is refused', async () => {
    await expect(prompt('p1', 'ä'.repeat(600_000))).rejects.toMatchObject({ code: 'PROMPT_TOO_LARGE' })
  })

  it('[CMD-5.9] an interrupt of a turn that is over is answered so', async () => {
    await expect(hub.core.sessions.interrupt(ana, sessionId, { turnId: 't0' }, hub.key())).rejects.toMatchObject({
      code: 'ALREADY_ENDED',
    })
  })

  it('[T49] a viewer sends nothing, stops nothing, makes nothing', async () => {
    const { sessions, agents } = hub.core
    const key = hub.key()
    const refused = { code: 'FORBIDDEN' }
    await expect(sessions.prompt(vic, sessionId, { promptId: 'p', text: 'x' }, key)).rejects.toMatchObject(refused)
    await expect(sessions.stop(vic, sessionId, key)).rejects.toMatchObject(refused)
    await expect(sessions.create(vic, { agentId: agent.agentId, settings }, key)).rejects.toMatchObject(refused)
    await expect(sessions.rename(vic, sessionId, { title: 'x' })).rejects.toMatchObject(refused)
    await expect(agents.revoke(vic, agent.agentId, key)).rejects.toMatchObject(refused)
    await expect(agents.makeToken(vic, {}, key)).rejects.toMatchObject(refused)
  })
})
