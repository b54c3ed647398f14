import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectHost } from '../host-contract/client'
import { HostWorld } from '../testing/host-world'
import { wholeMatrix } from '../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const says = (text: string) => script([{ text }])

describe('a session over its life', () => {
  it('[RES-7.1] a full window warns and steps the longest answer down, for good', async () => {
    const host = await world.open()
    await host.run(world.create({}, script([{ text: 'much', usage: { input_tokens: 150_000, output_tokens: 10 } }])))
    expect(world.of('token_budget_warning')).toHaveLength(1)
    expect(world.of('session_configured')).toMatchObject([{ changes: { maxOutputTokens: 16_000 }, by: 'ladder' }])
    await host.run(world.prompt(says('next')))
    expect(world.of('session_started').map(({ resumed }) => resumed)).toEqual([false, true])
    expect(readFileSync(join(world.stateDir, world.conversationFile()), 'utf8')).toContain('"maxOutputTokens":16000')
  })

  it('[RES-7] a turn may have its own model, and the next has the sticky one again', async () => {
    const host = await world.open()
    const settings = () =>
      JSON.parse(readFileSync(join(world.stateDir, world.conversationFile()), 'utf8')).view.settings
    await host.run(world.create({ model: 'scripted-large' }, says('one')))
    await host.run(world.prompt(says('two'), { override: { model: 'scripted-small' } }))
    expect(settings().model).toBe('scripted-small')
    await host.run(world.prompt(says('three')))
    expect(settings().model).toBe('scripted-large')
    expect(world.of('turn_started').map(({ override }) => override)).toEqual([
      undefined,
      { model: 'scripted-small' },
      undefined,
    ])
  })

  it('[RES-5.1] [RES-5.3] a dead conversation is told as such, and can be begun afresh with what was said', async () => {
    const host = await world.open()
    await host.run(world.create({}, says('the blue door')))
    await host.client.stop('shutdown')
    await host.gone()
    for (const name of readdirSync(world.stateDir)) rmSync(join(world.stateDir, name), { recursive: true })
    const again = await world.open()
    await again.run(world.prompt(says('two')))
    expect(world.of('turn_completed').at(-1)).toMatchObject({ reason: 'failed', error: { code: 'RESUME_UNAVAILABLE' } })
    expect(await again.run(world.command({ kind: 'session.resume', fresh: true }))).toEqual({ state: 'done' })
    await again.run(world.prompt(says('three')))
    expect(world.of('system').map(({ subtype }) => subtype)).toContain('started_afresh')
    expect(world.of('session_started').map(({ resumed }) => resumed)).toEqual([false, false])
    expect(readFileSync(join(world.stateDir, world.conversationFile()), 'utf8')).toContain('the blue door')
  })

  it('[REB-1.4] a rebased log moves what the hub lacks behind a gap, and runs nothing again', async () => {
    const host = await world.open()
    await host.run(world.create({}, says('one')))
    await host.client.stop('shutdown')
    await host.gone()
    const before = world.envelopes()
    const rebaser = world.start({ mode: 'rebase', rebase: { held: 2, to: 20, epoch: 'e', logId: '' } })
    expect((await rebaser.exited).code).toBe(0)
    const after = world.envelopes()
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
    expect(after[2]).toMatchObject({ seq: 21, to: 21, kind: 'gap' })
    const hashes = (events: typeof after) => events.map(({ hash }) => hash)
    expect(hashes(after.slice(3))).toEqual(hashes(before.slice(2)))
    expect(after.slice(3).map(({ seq }) => seq)).toEqual(before.slice(2).map((_, i) => 22 + i))
    const again = await world.open()
    expect(await again.run(world.prompt(says('two')))).toEqual({ state: 'done' })
    expect(world.envelopes().at(-1)?.seq).toBeGreaterThan(after.at(-1)?.seq ?? 0)
  })

  it('[T30] [LOG-9.6] garbage is kept aside and stops nothing, and a secret that is found later is blanked; number and hash stay', async () => {
    const host = await world.open()
    await host.run(world.create({}, script([{ garbage: 'this is no frame' }, { text: 'plain words' }])))
    expect(world.of('assistant_text').map(({ text }) => text)).toEqual(['plain words'])
    expect(readFileSync(world.files.rawRing, 'utf8')).toContain('this is no frame')
    const logged = world.events().filter(({ kind }) => kind !== 'user_message')
    expect(JSON.stringify(logged)).not.toContain('this is no frame')
    const before = world.envelopes().find(({ kind }) => kind === 'assistant_text')
    await host.run(world.command({ kind: 'event.blank', seq: before?.seq ?? 0, reason: 'it was a secret' }))
    const after = world.envelopes().find(({ seq }) => seq === before?.seq)
    expect(after).toMatchObject({ seq: before?.seq, hash: before?.hash })
    expect(after?.body).not.toContain('plain words')
  })

  it('[LOG-9] the own values of a session are taken out wherever they turn up', async () => {
    const host = await world.open({ policy: { ...world.launch.policy, hubEnvAllow: ['MY_*'] } })
    const env = { MY_API_KEY: 'an-unusual-value-1234' }
    await host.run(
      world.create(
        { env },
        script([
          { tool: 'Bash', input: { command: 'printenv MY_API_KEY' }, ask: false },
          { text: 'It is an-unusual-value-1234' },
        ]),
      ),
    )
    expect(world.envelopes().filter(({ body }) => body.includes('an-unusual-value')).length).toBe(0)
    expect(world.of('assistant_text')[0]?.text).toBe('It is [redacted:credential]')
  })

  it('[F15] a flood is logged without holes', async () => {
    const host = await world.open()
    await host.run(
      world.create(
        {},
        script([{ flood: { bytes: wholeMatrix ? 4_000_000 : 1_000_000, line: 200, as: 'text' } }, { text: 'end' }]),
      ),
    )
    const seqs = world.envelopes().map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, i) => i + 1))
    expect(seqs.length).toBeGreaterThan(wholeMatrix ? 5_000 : 1_250)
  })

  it('[T32] a child that keeps stdout open does not keep the session from ending', async () => {
    const launched = world.start()
    const host = await world.attach(launched)
    await host.run(world.create({}, script([{ fork: { lifeMs: 600_000 } }])))
    await host.client.stop('shutdown')
    expect((await launched.exited).code).toBe(0)
  })
})

describe('the socket of a host', () => {
  const attempt = (line: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(world.launch.socketPath)
      let heard = ''
      socket.on('connect', () => socket.write(line))
      socket.on('data', (chunk) => {
        heard += chunk
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(heard))
    })

  it('[RES-1.8] says nothing to whoever does not know the secret, and answers a request that it does not understand', async () => {
    const view = await world.open()
    expect(await attempt('{"type":"auth","token":"wrong"}\n')).toBe('')
    const nonce = 'a'.repeat(32)
    expect(await attempt(`{"type":"auth","nonce":"${nonce}"}\n{"type":"proof","proof":"${nonce}"}\n`)).not.toContain(
      'hello',
    )
    expect(await attempt('not json\n')).toBe('')
    expect(await attempt(`${'x'.repeat(9 * 1024 * 1024)}`)).toBe('')
    const host = await connectHost(world.doorOf())
    host.close()
    const bad = { ...world.create(), body: { kind: 'no.such.command' } }
    await expect(view.client.command(bad as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await view.run(world.create({}, says('one')))).toEqual({ state: 'done' })
  })

  it('takes the place of a socket file that a dead host left', async () => {
    writeFileSync(world.launch.socketPath, '')
    appendFileSync(world.launch.socketPath, 'stale')
    const host = await world.open()
    expect(host.client.hello.sessionId).toBe(world.sessionId)
  })
})
