// What the session's program cannot do is refused before it starts; what only the program refuses is taken back.
import { script } from '@roundhouse/adapter-scripted'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HostView, HostWorld } from '../../testing/host-world'
import { variation } from '../../testing/variation'

const says = (text: string) => script([{ text }])

let world: HostWorld
let host: HostView
beforeEach(async () => {
  world = await HostWorld.create()
  host = await world.open()
})
afterEach(() => world.dispose())

const configure = (changes: object) => host.run(world.command({ kind: 'session.configure', changes }))
const configured = () => world.of('session_configured').map(({ kind: _, commandId: __, author: ___, ...told }) => told)
const texts = () => world.of('assistant_text').map(({ text }) => text)

describe('what the program cannot do', () => {
  it('[CAP-3.4] is refused by the host, whatever the hub let through: no session begins with it, and one that runs goes on as it was', async () => {
    const created = await host.run(world.create({ mode: 'careful' }, says('never')))
    expect(created).toMatchObject({ state: 'refused', error: { code: 'UNSUPPORTED', details: { field: 'mode' } } })
    expect(world.events()).toEqual([])
    await host.run(world.create({ mode: 'plan' }, says('one')))
    const refused = {
      state: 'refused',
      error: { code: 'UNSUPPORTED', details: { capability: 'mode', value: 'careful' } },
    }
    expect(await configure({ mode: 'careful' })).toMatchObject(refused)
    expect(await host.run(world.prompt(says('never'), { override: { mode: 'careful' } }))).toMatchObject(refused)
    expect(await configure({ thinking: 'most' })).toMatchObject({ error: { details: { field: 'thinking' } } })
    await host.run(world.prompt(says('two')))
    expect({ texts: texts(), configured: configured() }).toEqual({ texts: ['one', 'two'], configured: [] })
  })
})

describe('a setting that only the program refuses', () => {
  const refusal = { code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('"no-such"') }

  it('[CAP-4.1] [CAP-4.2] is taken back from a running program, which goes on', async () => {
    await host.run(world.create({ model: 'scripted-small' }, says('one')))
    await configure({ model: 'no-such' })
    await host.run(world.prompt(says('two')))
    expect(configured()).toEqual([
      { changes: { model: 'no-such' }, by: 'person' },
      { changes: { model: 'scripted-small' }, by: 'backend', error: refusal },
    ])
    expect(texts()).toEqual(['one', 'two'])
    expect(world.of('process_exited')).toEqual([])
  })

  it('[CAP-4.3] [CAP-4.4] stops one start and no other: the prompt waits for a person, the next one runs', async () => {
    await host.run(world.create({}, says('one')))
    await host.run(world.command({ kind: 'process.end' }))
    await configure({ model: 'no-such' })
    const [first, second] = [world.prompt(says('never')), world.prompt(says('two'))]
    await host.client.command(first)
    await host.client.command(second)
    await host.until(() => host.state.queueHeld && world.of('turn_completed').length === 2)
    expect(world.of('turn_completed').at(-1)).toMatchObject({ reason: 'failed', error: refusal })
    expect(configured().at(-1)).toEqual({ changes: {}, unset: ['model'], by: 'backend', error: refusal })
    await host.run(world.command({ kind: 'queue.release' }))
    await host.result(second.commandId)
    expect(texts()).toEqual(['one', 'two'])
  })

  it('[CAP-4.4] of a session that never ran has no value any more, and a resume works', async () => {
    await host.run(world.create({ model: 'no-such' }))
    const resume = () => host.run(world.command({ kind: 'session.resume' }))
    expect(await resume()).toMatchObject({ state: 'refused', error: { code: 'MODEL_UNAVAILABLE' } })
    expect(host.state.status).toMatchObject({ status: 'resumable', why: 'start_failed', error: refusal })
    expect(await resume()).toEqual({ state: 'done' })
    await host.run(world.prompt(says('one')))
    expect(texts()).toEqual(['one'])
  })

  it('[CAP-4.1] is remembered beside the settings, so that the next host goes back to the same value', async () => {
    await host.run(world.create({ model: 'scripted-small' }, says('one')))
    await host.run(world.command({ kind: 'process.end' }))
    await configure({ model: 'no-such' })
    await host.client.stop('shutdown')
    await host.gone()
    host = await world.open()
    await host.run(world.prompt(says('never')))
    expect(configured().at(-1)).toMatchObject({ changes: { model: 'scripted-small' }, error: refusal })
  })

  it('[CAP-3.5] and one that an earlier release stored is refused before the program starts, once', async () => {
    await host.run(world.create({}, says('one')))
    await host.client.stop('shutdown')
    await host.gone()
    const db = new Database(world.files.log)
    db.exec(`UPDATE meta SET value = json_remove(json_set(value, '$.settings.mode', 'careful'), '$.accepted')
      WHERE key = 'settings'`)
    db.close()
    host = await world.open()
    await host.run(world.prompt(says('never')))
    const known = '"default", "acceptEdits", "plan", "bypassPermissions"'
    const message = `Demo (scripted) has no mode "careful". It has ${known}.`
    const error = { code: 'UNSUPPORTED', message }
    expect(configured()).toEqual([{ changes: {}, unset: ['mode'], by: 'backend', error }])
    await host.run(world.prompt(says('two')))
    expect(texts()).toEqual(['one', 'two'])
  })

  it('[CAP-4.5] for one turn only fails that turn, and the program and the settings stay', async () => {
    await host.run(world.create({ model: 'scripted-small' }, says('one')))
    await host.run(world.prompt(says('never'), { override: { model: 'no-such' } }))
    expect(world.of('turn_completed').at(-1)).toMatchObject({ reason: 'failed', error: refusal })
    expect({ configured: configured(), exits: world.of('process_exited') }).toEqual({ configured: [], exits: [] })
    await host.run(world.prompt(says('two')))
    expect(texts()).toEqual(['one', 'two'])
  })
})

describe('a model that only the model service refuses', () => {
  const missing = 'scripted-missing'
  const refusal = { code: 'MODEL_UNAVAILABLE', message: expect.stringContaining(`"${missing}"`) }
  const ends = () => world.of('turn_completed').map(({ reason, error }) => (error ? { reason, error } : { reason }))
  const failed = { reason: 'failed', error: refusal }

  it('[CAP-4.6] [CAP-4.7] fails one turn, and the session goes on with the model that answered last', async () => {
    await host.run(world.create({ model: 'scripted-small' }, says('one')))
    for (const model of ['scripted-large', missing]) await configure({ model })
    const [first, second] = [world.prompt(says('never')), world.prompt(says('two'))]
    await host.client.command(first)
    await host.client.command(second)
    await host.until(() => host.state.queueHeld && world.of('turn_completed').length === 2)
    expect(ends()).toEqual([{ reason: 'completed' }, failed])
    expect(configured().at(-1)).toEqual({ changes: { model: 'scripted-small' }, by: 'backend', error: refusal })
    await host.run(world.command({ kind: 'queue.release' }))
    await host.result(second.commandId)
    expect(texts()).toEqual(['one', 'two'])
  })

  it('[CAP-4.7] of a new session leaves it without one, for the next host too', async () => {
    await host.run(world.create({ model: missing }, says('never')))
    expect(ends()).toEqual([failed])
    expect(configured()).toEqual([{ changes: {}, unset: ['model'], by: 'backend', error: refusal }])
    await host.client.stop('shutdown')
    await host.gone()
    host = await world.open()
    await host.run(world.prompt(says('one')))
    expect(texts()).toEqual(['one'])
  })

  variation('[CAP-4.5] for one turn only fails that turn, and the settings stay', async () => {
    await host.run(world.create({ model: 'scripted-small' }, says('one')))
    await host.run(world.prompt(says('never'), { override: { model: missing } }))
    expect({ ends: ends(), configured: configured() }).toEqual({
      ends: [{ reason: 'completed' }, failed],
      configured: [],
    })
    await host.run(world.prompt(says('two')))
    expect(texts()).toEqual(['one', 'two'])
  })

  it('[CAP-4.7] that answered before stays: a person chooses which follows it', async () => {
    await host.run(world.create({ model: 'scripted-small' }, says('one')))
    const gone = script([{ error: 404, message: 'The model "scripted-small" does not exist.' }])
    await host.run(world.prompt(gone))
    expect({ ends: ends().at(-1)?.error?.code, configured: configured() }).toEqual({
      ends: 'MODEL_UNAVAILABLE',
      configured: [],
    })
  })
})
