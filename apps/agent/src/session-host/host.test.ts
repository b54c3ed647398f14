import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Step, script } from '@roundhouse/adapter-scripted'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type HostView, HostWorld } from '../testing/host-world'
import { variation } from '../testing/variation'

const says = (text: string) => script([{ text }])
/** Streams a little and waits until it is interrupted. */
const hangs = script([{ text: 'Thinking about it ', hang: true }])

let world: HostWorld

describe('a session host, over many turns', () => {
  let host: HostView
  /** What the log had before the test. */
  let before = 0
  beforeAll(async () => {
    world = await HostWorld.create()
    host = await world.open()
    await host.run(world.create())
  })
  afterAll(() => world.dispose())
  beforeEach(async () => {
    await host.until(() => host.state.turnId === undefined)
    before = world.events().length
    host.frames.length = 0
  })
  const of: typeof world.of = (kind) => {
    const earlier = world
      .events()
      .slice(0, before)
      .filter((event) => event.kind === kind).length
    return world.of(kind).slice(earlier)
  }

  it('[CMD-5.6] plays queued prompts one after another, in their order', async () => {
    const prompts = ['first', 'second', 'third'].map((word) => world.prompt(says(word)))
    for (const prompt of prompts) await host.client.command(prompt)
    for (const prompt of prompts) expect(await host.result(prompt.commandId)).toEqual({ state: 'done' })
    expect(of('assistant_text').map(({ text }) => text)).toEqual(['first', 'second', 'third'])
    expect(of('session_started')).toHaveLength(1)
  })

  it('[LOG-5.10] gives the text of an open block to whoever asks', async () => {
    await host.client.command(world.prompt(hangs))
    const block = await host.until(() => host.frames.find(({ text }) => text.includes('about')))
    const { text, length } = await host.client.block(block.blockId, 0)
    expect('Thinking about it '.startsWith(text)).toBe(true)
    expect(length).toBe(text.length)
    await expect(host.client.block('no-such-block', 0)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await host.run(world.command({ kind: 'turn.interrupt', turnId: host.state.turnId ?? '' }))
  })

  it('[CMD-5.7] an interrupted turn holds the queue until a person releases it', async () => {
    await host.client.command(world.prompt(hangs))
    const { turnId = '' } = await host.until(() => (host.frames.length > 0 && host.state.turnId ? host.state : null))
    const next = world.prompt(says('after the release'))
    await host.client.command(next)
    expect(await host.run(world.command({ kind: 'turn.interrupt', turnId }))).toEqual({ state: 'done' })
    const held = await host.status('idle')
    expect({ held: held.queueHeld, waiting: held.queue.length }).toEqual({ held: true, waiting: 1 })
    expect(of('turn_completed').map(({ reason }) => reason)).toEqual(['interrupted'])
    await host.run(world.command({ kind: 'queue.release' }))
    expect(await host.result(next.commandId)).toEqual({ state: 'done' })
    expect(of('assistant_text').at(-1)?.text).toBe('after the release')
  })

  it('[CMD-5.3] edits, moves and removes what waits, by the revision that was seen', async () => {
    await host.client.command(world.prompt(hangs))
    await host.status('running')
    const [a, b, c] = ['a', 'b', 'c'].map((word) => world.prompt(says(word)))
    if (!a || !b || !c) throw new Error('three prompts')
    for (const prompt of [a, b, c]) await host.client.command(prompt)
    const idOf = (command: typeof a) => (command.body.kind === 'prompt.send' ? command.body.promptId : '')
    await host.run(world.command({ kind: 'queue.edit', promptId: idOf(a), rev: 0, text: says('A') }))
    await host.run(world.command({ kind: 'queue.move', promptId: idOf(c), rev: 0, toIndex: 0 }))
    const stale = world.command({ kind: 'queue.edit', promptId: idOf(a), rev: 0, text: 'lost' })
    expect(await host.run(stale)).toMatchObject({ state: 'refused', error: { code: 'REV_CHANGED' } })
    await host.run(world.command({ kind: 'queue.remove', promptId: idOf(b), rev: 0 }))
    expect(await host.result(b.commandId)).toEqual({ state: 'cancelled' })
    await host.run(world.command({ kind: 'turn.interrupt', turnId: host.state.turnId ?? '' }))
    await host.run(world.command({ kind: 'queue.release' }))
    await host.result(a.commandId)
    expect(of('user_message').map(({ text }) => text)).toEqual([hangs, says('c'), says('A')])
  })

  it('[CMD-5.15] what is sent right after an interrupt is not held by the end of that turn', async () => {
    await host.client.command(world.prompt(hangs))
    await host.until(() => host.frames.length > 0)
    const interrupt = world.command({ kind: 'turn.interrupt', turnId: host.state.turnId ?? '' })
    const next = world.prompt(says('at once'))
    await Promise.all([host.client.command(interrupt), host.client.command(next)])
    expect(await host.result(next.commandId)).toEqual({ state: 'done' })
  })

  it('[CMD-2.9] [I8] a repeated command is answered again and runs once', async () => {
    const create = world.prompt(says('once'))
    await host.run(create)
    expect(await host.client.command(create)).toEqual({ state: 'done' })
    expect(await host.client.cancel(create.commandId)).toEqual({ state: 'done' })
    expect(of('assistant_text')).toHaveLength(1)
  })

  it('[CMD-4] a cancelled command does not run when it arrives after all', async () => {
    const prompt = world.prompt(says('never'))
    expect(await host.client.cancel(prompt.commandId)).toEqual({ state: 'cancelled' })
    expect(await host.client.command(prompt)).toEqual({ state: 'cancelled' })
    await host.run(world.prompt(says('instead')))
    expect(of('assistant_text').map(({ text }) => text)).toEqual(['instead'])
  })

  it('[CMD-5.9] a late interrupt answers that the turn has ended', async () => {
    await host.run(world.prompt(says('done')))
    const [turn] = of('turn_completed')
    const late = world.command({ kind: 'turn.interrupt', turnId: turn?.turnId ?? '' })
    expect(await host.run(late)).toMatchObject({ state: 'refused', error: { code: 'ALREADY_ENDED' } })
  })

  it('[LOG-7.6] a turn that begins by itself is a turn like any other', async () => {
    const steps: Step[] = [{ text: 'Started.', background: { afterMs: 1, steps: [{ text: 'It is ready.' }] } }]
    await host.run(world.prompt(script(steps)))
    await host.until(() => of('turn_completed').length === 2)
    expect(of('turn_started').map(({ trigger }) => trigger)).toEqual(['prompt', 'backend'])
    expect(of('assistant_text').map(({ text }) => text)).toEqual(['Started.', 'It is ready.'])
  })
})

describe('a session host', () => {
  beforeEach(async () => {
    world = await HostWorld.create()
  })
  afterEach(() => world.dispose())

  it('[SES-2] [LOG-4] runs a prompt from the creation of the session to the finished turn', async () => {
    const host = await world.open()
    const create = world.create({}, says('Hello there.'))
    expect(await host.run(create)).toEqual({ state: 'done' })
    await host.status('idle')
    expect(world.kinds()).toEqual([
      'session_created',
      'turn_started',
      'user_message',
      'session_started',
      'assistant_text',
      'turn_completed',
    ])
    expect(world.of('assistant_text')[0]?.text).toBe('Hello there.')
    expect(world.envelopes().map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(world.of('turn_completed')[0]).toMatchObject({ reason: 'completed', commandId: create.commandId })
  })

  it('[LOG-5.1] [LOG-5.2] shows text while it is written, and the finished event says the same', async () => {
    const host = await world.open()
    const words = 'One two three four five six seven eight nine ten.'
    await host.run(world.create({}, script([{ text: words, chunk: 4, delayMs: 15 }], 'Slowly.')))
    const [finished] = world.of('assistant_text')
    const frames = host.frames.filter(({ blockId }) => blockId === finished?.blockId)
    let shown = ''
    for (const frame of frames) {
      expect(frame.offset).toBe(shown.length)
      shown += frame.text
    }
    expect(finished?.text).toBe(words)
    // The last pieces may have been overtaken by the finished event.
    expect(words.startsWith(shown)).toBe(true)
    expect(frames.length).toBeGreaterThan(1)
    expect(frames[0]?.afterSeq).toBe(4)
    expect(world.spooled()).toEqual([])
  })

  variation('steers the running turn where the backend can', async () => {
    const host = await world.open()
    await host.client.command(world.create({}, hangs))
    await host.until(() => host.frames.length > 0)
    const steer = world.prompt('Think of something else.', { steer: true })
    expect(await host.run(steer)).toEqual({ state: 'done' })
    expect(world.of('user_message').map(({ steer: into }) => into === true)).toEqual([false, true])
  })

  it('[SES-6] waits for whoever started it, on a machine that is slow too', async () => {
    expect((await world.open({ idleMs: 1 })).client.hello.sessionId).toBe(world.sessionId)
  })

  it('[SES-6.2] [SES-6.3] ends when nothing goes on, says so, and the next prompt resumes the same conversation', async () => {
    const host = await world.open({ idleMs: 150 })
    await host.run(world.create({}, says('one')))
    expect(await host.gone()).toBe('idle')
    expect(world.lastState()?.status).toEqual({ status: 'resumable', why: 'idle' })
    const again = await world.open()
    await again.run(world.prompt(says('two')))
    expect(world.of('session_started').map(({ resumed }) => resumed)).toEqual([false, true])
    expect(new Set(world.of('session_started').map(({ backendSessionId }) => backendSessionId)).size).toBe(1)
    expect(again.state.leaseToken).toBe(host.state.leaseToken + 1)
  })

  it('[RES-7.1] changed settings stay over a restart of the host', async () => {
    const host = await world.open()
    await host.run(world.create({}, says('one')))
    await host.run(world.command({ kind: 'session.configure', changes: { model: 'scripted-small' } }))
    expect(await host.client.stop('shutdown')).toEqual({ stopped: true })
    await host.gone()
    const again = await world.open()
    const prompt = world.prompt(says('two'))
    await again.run(prompt)
    expect(world.of('session_configured')[0]).toMatchObject({ changes: { model: 'scripted-small' }, by: 'person' })
    const conversation = readFileSync(join(world.stateDir, world.conversationFile()), 'utf8')
    expect(conversation).toContain('scripted-small')
  })

  it('[SES-2] refuses a folder outside the roots, and one above the sandbox that the machine allows', async () => {
    const host = await world.open()
    const outside = world.create({ workDir: '/etc' })
    expect(await host.run(outside)).toMatchObject({ state: 'refused', error: { code: 'PATH_NOT_ALLOWED' } })
    const above = world.create({ sandbox: 'full-access' })
    expect(await host.run(above)).toMatchObject({ state: 'refused', error: { code: 'POLICY_DENIED' } })
    expect(world.events()).toEqual([])
  })

  it('[T26] a backend that cannot start fails the turn, and the prompt stays in the transcript', async () => {
    const host = await world.open({ playerPath: '/nowhere/player.mjs' })
    await host.run(world.create({}, says('x')))
    expect(world.kinds()).toEqual([
      'session_created',
      'turn_started',
      'user_message',
      'process_exited',
      'turn_completed',
    ])
    expect(world.of('turn_completed')[0]).toMatchObject({ reason: 'failed', error: { code: 'BACKEND_UNAVAILABLE' } })
    expect(host.state.status).toMatchObject({ status: 'resumable', why: 'start_failed' })
  })

  variation('ends the backend on a word, and the session can go on', async () => {
    const host = await world.open()
    await host.client.command(world.create({}, hangs))
    await host.until(() => host.frames.length > 0)
    expect(await host.run(world.command({ kind: 'process.end' }))).toEqual({ state: 'done' })
    expect(host.state.status).toEqual({ status: 'resumable', why: 'ended_by_person' })
    expect(world.of('turn_completed').map(({ reason }) => reason)).toEqual(['process_exited'])
    await host.run(world.prompt(says('again')))
    expect(world.of('session_started').map(({ resumed }) => resumed)).toEqual([false, true])
  })

  it('ends the session for good on a stop', async () => {
    const host = await world.open()
    await host.run(world.create({}, says('one')))
    expect(await host.run(world.command({ kind: 'session.stop' }))).toEqual({ state: 'done' })
    expect(await host.gone()).toBe('shutdown')
    expect(world.of('session_ended')[0]).toMatchObject({ why: 'stopped' })
    expect(world.lastState()?.status).toEqual({ status: 'ended', why: 'stopped' })
    const again = await world.open()
    const late = await again.run(world.prompt(says('two')))
    expect(late).toMatchObject({ state: 'refused', error: { code: 'SESSION_ENDED' } })
  })

  variation('leaves nothing running after a clean end', async () => {
    const launched = world.start()
    const host = await world.attach(launched)
    await host.run(world.create({}, says('one')))
    const pids = world.marked()
    expect(pids.length).toBeGreaterThan(1)
    await host.client.stop('shutdown')
    expect(await launched.exited).toEqual({ code: 0, signal: null })
    expect(world.marked()).toEqual([])
  })

  it('[LINK-5.6] every account of its state is newer than the one before', async () => {
    const host = await world.open()
    await host.run(world.create({}, says('one')))
    await host.run(world.prompt(says('two')))
    const revs = host.states.map(({ rev }) => rev)
    expect(revs).toEqual([...new Set(revs)].sort((a, b) => a - b))
    expect(host.states.every(({ atSeq }, i) => atSeq >= (host.states[i - 1]?.atSeq ?? 0))).toBe(true)
  })

  variation('[RES-1.1] a second daemon attaches while the turn goes on, and both hear it', async () => {
    const launched = world.start()
    const first = await world.attach(launched)
    await first.client.command(world.create({}, script([{ text: 'Hello', sleep: 50 }, { text: ' again' }])))
    await first.status('running')
    first.client.close()
    const second = await world.attach(launched)
    await second.status('idle')
    expect(world.of('turn_completed').map(({ reason }) => reason)).toEqual(['completed'])
  })
})
