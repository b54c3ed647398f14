import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HELD_EXIT } from '../../host-contract/launch-spec'
import { HostWorld } from '../../testing/host-world'
import { variation } from '../../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const says = (text: string) => script([{ text }])
const streams = script([{ text: 'A long sentence that is never finished ', hang: true }])
/** A program that still finishes what it is at when its host is gone would finish the one above, and not this. */
const streamsOn = script([
  { text: `A long sentence that is never finished ${'on '.repeat(9_000)}`, chunk: 13, delayMs: 20 },
])
const writes = script([{ tool: 'Write', input: { file_path: 'note.txt', content: 'x' } }, { text: 'Done.' }])

describe('when the backend dies', () => {
  const killBackend = () => {
    const [backend] = world.record().procs
    if (!backend) throw new Error('a backend is recorded')
    process.kill(backend.pid, 'SIGKILL')
  }

  it('[F5] [RES-2.2] [RES-2.6] [T38] [PERM-3.3] the turn ends, the request is orphaned and gone, and the next prompt resumes the conversation', async () => {
    const host = await world.open()
    await host.client.command(world.create({}, writes))
    const [ask] = (await host.status('needs_you')).requests
    if (!ask) throw new Error('it was asked')
    killBackend()
    const state = await host.status('resumable')
    expect(state.status).toMatchObject({ why: 'process_exited', error: { code: 'BACKEND_CRASHED' } })
    expect(world.kinds().slice(-4)).toEqual(['process_exited', 'tool_result', 'permission_resolved', 'turn_completed'])
    expect(world.of('process_exited')[0]).toMatchObject({ cause: 'crashed', signal: 'SIGKILL' })
    expect(world.of('tool_result')[0]).toMatchObject({ interrupted: true, isError: true })
    expect(world.of('permission_resolved')[0]).toMatchObject({ outcome: 'orphaned' })
    expect(world.of('turn_completed')[0]).toMatchObject({ reason: 'process_exited' })
    const { requestId, procId, digest } = ask
    const late = world.command({ kind: 'permission.decide', requestId, procId, digest, decision: 'allow' })
    expect(await host.run(late)).toMatchObject({ state: 'refused', error: { code: 'REQUEST_GONE' } })
    await host.run(world.prompt(says('two')))
    const begun = world.of('session_started')
    expect(begun.map(({ resumed }) => resumed)).toEqual([false, true])
    expect(begun[1]?.backendSessionId).toBe(begun[0]?.backendSessionId)
  })

  it('[LOG-5.7] what it had written is kept as a partial block', async () => {
    const host = await world.open()
    await host.client.command(world.create({}, streams))
    await host.until(() => host.frames.some(({ text }) => text.includes('never')))
    killBackend()
    await host.status('resumable')
    const [block] = world.of('assistant_text')
    expect(block).toMatchObject({ partial: true })
    expect('A long sentence that is never finished '.startsWith(String(block?.text))).toBe(true)
    await host.client.stop('shutdown')
    await host.gone()
    expect(world.spooled()).toEqual([])
  })

  it('[RES-2.3] what it had started is ended with it, before anybody is told', async () => {
    const host = await world.open()
    await host.run(world.create({}, script([{ fork: { lifeMs: 600_000 } }])))
    expect(world.marked()).toHaveLength(3)
    killBackend()
    await host.status('resumable')
    expect(world.marked()).toEqual([host.client.hello.pid])
  })

  variation('[RES-3] a session that wants it is resumed by itself', async () => {
    const host = await world.open()
    await host.run(world.create({ autoResume: true }, says('one')))
    killBackend()
    await host.status('resumable')
    await host.status('idle')
    expect(world.of('session_started').map(({ resumed }) => resumed)).toEqual([false, true])
  })

  it('[T28] half a line and an exit code are told as a crash', async () => {
    const host = await world.open()
    await host.run(world.create({}, script([{ stderr: 'the end is near', halfLine: 7 }])))
    expect(world.of('process_exited')[0]).toMatchObject({
      code: 7,
      cause: 'crashed',
      stderrTail: expect.stringContaining('the end is near'),
    })
  })
})

describe('when the host dies', () => {
  async function killHost(prompt: string, ready: (host: Awaited<ReturnType<HostWorld['open']>>) => Promise<unknown>) {
    const launched = world.start()
    const host = await world.attach(launched)
    const create = world.create({}, prompt)
    await host.client.command(create)
    await ready(host)
    process.kill(launched.pid, 'SIGKILL')
    expect(await host.gone()).toBeNull()
    return create
  }

  variation('[RES-6.4] its guard ends the backend, and nothing is left', async () => {
    await killHost(streams, (host) => host.until(() => host.frames.length > 0))
    await world.guardIsDone()
    expect(world.marked()).toEqual([])
    expect(JSON.parse(readFileSync(world.files.guardNote, 'utf8'))).toMatchObject({ left: 0 })
    expect(await world.found()).toEqual({ class: 'dead' })
  })

  it('[RES-6.4] [RES-6.7] [T31] its guard kills a backend that does not listen, and children that hid', async () => {
    const prompt = script([{ ignoreSigterm: true }, { orphan: true }, { text: 'Still here ', hang: true }])
    await killHost(prompt, (host) => host.until(() => host.frames.length > 0))
    await world.guardIsDone()
    expect(world.marked()).toEqual([])
    expect(JSON.parse(readFileSync(world.files.guardNote, 'utf8')).killed).toBeGreaterThan(0)
  })

  it('[LOG-7.1] [LOG-7.2] [LOG-5] the next host closes what was open, once, in mode close, and ends', async () => {
    const create = await killHost(streamsOn, (host) =>
      host.until(() => host.frames.some(({ text }) => text.includes('never'))),
    )
    await world.guardIsDone()
    const closer = world.start({ mode: 'close' })
    expect(await closer.exited).toEqual({ code: 0, signal: null })
    expect(world.kinds().slice(-3)).toEqual(['assistant_text', 'process_exited', 'turn_completed'])
    expect(world.of('assistant_text')[0]).toMatchObject({ partial: true })
    expect(world.of('process_exited')[0]).toMatchObject({ cause: 'host_died' })
    expect(world.of('turn_completed')[0]).toMatchObject({ reason: 'process_exited', commandId: create.commandId })
    expect(world.answerOf(create.commandId)).toEqual({ state: 'done' })
    expect(world.lastState()?.status).toMatchObject({ status: 'resumable', why: 'host_died' })
    expect(world.envelopes().map(({ seq }) => seq)).toEqual(world.envelopes().map((_, i) => i + 1))
    const before = world.kinds()
    await world.start({ mode: 'close' }).exited
    expect(world.kinds()).toEqual(before)
  })

  it('[LOG-7.3] a prompt that nothing answered is of unknown outcome', async () => {
    const create = await killHost(script([{ sleep: 60_000 }, { text: 'late' }]), (host) => host.status('running'))
    await world.guardIsDone()
    await world.start({ mode: 'close' }).exited
    expect(world.of('turn_completed')[0]).toMatchObject({ reason: 'outcome_unknown' })
    expect(world.answerOf(create.commandId)).toEqual({ state: 'outcome_unknown' })
  })

  variation('[CMD-8.22] nothing is unknown of a prompt whose program was ended on purpose with its host', async () => {
    const create = await killHost(script([{ sleep: 60_000 }, { text: 'late' }]), (host) => host.status('running'))
    await world.guardIsDone()
    await world.start({ mode: 'close', endAsked: true }).exited
    expect(world.of('process_exited')).toMatchObject([{ cause: 'killed' }])
    expect(world.of('turn_completed')).toMatchObject([{ reason: 'process_exited', commandId: create.commandId }])
    expect(world.answerOf(create.commandId)).toEqual({ state: 'done' })
  })

  it('[PERM-3.2] [F24] [CMD-5.7] [CMD-5.5] its open request is orphaned by the next, and what waited in its queue is held, and not lost', async () => {
    const waiting = world.prompt(says('later'))
    await killHost(writes, async (host) => {
      await host.status('needs_you')
      await host.client.command(waiting)
    })
    await world.guardIsDone()
    const next = await world.open()
    expect(next.state.requests).toEqual([])
    expect(world.of('permission_resolved')).toMatchObject([{ outcome: 'orphaned' }])
    expect(next.state).toMatchObject({ queueHeld: true, queue: [{ text: says('later') }] })
    await next.run(world.command({ kind: 'queue.release' }))
    expect(await next.result(waiting.commandId)).toEqual({ state: 'done' })
    expect(world.of('session_started').map(({ resumed }) => resumed)).toEqual([false, true])
    expect(existsSync(join(world.workDir, 'note.txt'))).toBe(false)
  })

  it('[LOG-5.1] a block that was finished just before is not written again', async () => {
    const host = await world.open()
    await host.run(world.create({}, says('one')))
    const [block] = world.of('assistant_text')
    process.kill(host.client.hello.pid, 'SIGKILL')
    await host.gone()
    await world.guardIsDone()
    const { blockId = '', procId = '' } = block ?? {}
    const header = { blockId, procId, kind: 'assistant_text', afterSeq: 4 }
    writeFileSync(join(world.files.spool, '1.block'), `${JSON.stringify(header)}\none`)
    await world.start({ mode: 'close' }).exited
    expect(world.of('assistant_text')).toHaveLength(1)
    expect(world.spooled()).toEqual([])
  })
})

describe('the lock of a session', () => {
  it('[RES-4.1] a second host ends at once and leaves the first alone', async () => {
    const host = await world.open()
    const second = world.start()
    expect((await second.exited).code).toBe(HELD_EXIT)
    expect(world.hostLog()).toContain('Another host holds this session')
    await host.run(world.create({}, says('still mine')))
    expect(await world.found()).toEqual({ class: 'attached' })
  })

  it('[RES-6] a host that does not answer is stuck', async () => {
    const launched = world.start()
    const host = await world.attach(launched)
    process.kill(launched.pid, 'SIGSTOP')
    expect(await world.found(300)).toEqual({ class: 'stuck' })
    process.kill(launched.pid, 'SIGCONT')
    host.client.close()
    expect(await world.found()).toEqual({ class: 'attached' })
  })
})
