/** The bridge of the production build on the scripted program: bad lines, what the policy refuses, and Claude's frames from typed output. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { processesOf } from '../support/processes/processes'
import { type BridgeClient, BridgeRig } from '../support/rigs/bridge-rig'

const script = (steps: object[], text = 'Please.') => `${text} SCRIPT: ${JSON.stringify(steps)}`
const says = (text: string) => script([{ text }])
/** A call that waits for a person. */
const asks = (input: object) => ({ tool: 'Write', input: { content: 'words', ...input } })

describe('the bridge', () => {
  let rig: BridgeRig
  let bridge: BridgeClient
  beforeAll(async () => {
    rig = await BridgeRig.start({ kind: 'scripted', args: ['--backend', 'scripted'] })
    bridge = rig.open()
  })
  afterAll(() => rig.dispose())

  const errors = () => bridge.of('error')
  const create = (payload: object, on = bridge) => on.answer(on.send({ type: 'session.create', payload }))

  it.each([
    ['that is no JSON', 'this is no JSON', {}, /no JSON/],
    ['that is half a message', '{"type":"session.create"', {}, /no JSON/],
    ['of 10 MB', 'x'.repeat(10_000_000), {}, /has 10000000/],
    ['of 10 MB that is JSON', `{"type":"session.kill","id":"x","pad":"${'x'.repeat(10_000_000)}"}`, {}, /at most/],
    ['that is a list', '[1]', {}, /JSON object/],
    ['of an unknown type', '{"type":"session.fly","id":"u1"}', { id: 'u1' }, /Unknown message type: session\.fly/],
    ['without a payload', '{"type":"session.create","id":"u2"}', { id: 'u2' }, /^payload/],
    [
      'without a message',
      '{"type":"session.send","id":"u3","session_id":"s","payload":{}}',
      { id: 'u3', session_id: 's' },
      /^payload\.message/,
    ],
  ])('answers a line %s with INVALID_MESSAGE, and lives', async (_what, line, named, message) => {
    const before = errors().length
    bridge.write(`${line}\n`)
    await bridge.wait('the error', () => errors().length > before)
    const { payload, ...rest } = errors()[before] ?? {}
    expect(rest).toEqual({ type: 'error', ...named })
    expect(payload).toEqual({ code: 'INVALID_MESSAGE', message: expect.stringMatching(message) })
  })

  it('answers a message to a session that is not there with SESSION_NOT_FOUND', async () => {
    const messages = [
      { type: 'session.send', payload: { message: 'hi' } },
      { type: 'session.interrupt', payload: {} },
      { type: 'session.kill', payload: {} },
      { type: 'query.call', payload: { method: 'accountInfo' } },
      { type: 'callback.response', payload: {} },
    ]
    for (const message of messages) {
      const id = bridge.send({ ...message, session_id: 'nobody' })
      expect(await bridge.answer(id)).toEqual({
        type: 'error',
        id,
        session_id: 'nobody',
        payload: { code: 'SESSION_NOT_FOUND', message: 'Session not found: nobody' },
      })
    }
  })

  it('knows no callback that it did not ask, and takes no answer that is none', async () => {
    const session = await bridge.create(rig.workDir, script([asks({ path: 'a.txt' }), { text: 'Done.' }]))
    const asked = await session.asked()
    const wrong = session.send({ type: 'callback.response', id: 'nobody', payload: { behavior: 'allow' } })
    expect(wrong).toBeTruthy()
    expect(await bridge.answer('nobody')).toMatchObject({
      session_id: session.id,
      payload: { code: 'INVALID_MESSAGE', message: 'Unknown callback ID: nobody' },
    })
    session.reply(asked, { behavior: 'perhaps' })
    await bridge.wait('the error', (reply) => reply.type === 'error' && reply.id === asked.id)
    session.reply(asked, { behavior: 'allow' })
    expect(await session.turns(1)).toMatchObject({ subtype: 'success', result: 'Done.' })
    await session.kill()
  })

  it('gives the frames of Claude Code for a program that has another language', async () => {
    const steps = [asks({ path: 'b.txt' }), { text: 'Written.' }]
    const session = await bridge.create(rig.workDir, script(steps), { include_partial_messages: true })
    const asked = await session.asked()
    expect(asked.payload).toMatchObject({
      callback_type: 'can_use_tool',
      tool_name: 'Write',
      tool_input: { path: 'b.txt', content: 'words' },
    })
    session.reply(asked, { behavior: 'allow' })
    await session.turns(1)
    const kinds = session.frames
      .filter(({ type }) => type !== 'stream_event')
      .map(({ type, subtype }) => `${type} ${subtype ?? ''}`.trim())
    expect(kinds[0]).toBe('system init')
    expect(kinds.filter((kind) => /^(assistant|user|result)/.test(kind))).toEqual([
      'assistant',
      'user',
      'assistant',
      'result success',
    ])
    expect(session.frames.filter(({ type }) => type === 'stream_event')[0]).toMatchObject({
      event: { type: 'message_start' },
    })
    const ids = new Set(session.frames.map(({ session_id }) => session_id))
    expect(ids.size).toBe(1)
    session.prompt(says('Again.'))
    expect(await session.turns(2)).toMatchObject({ result: 'Again.' })
    expect(await session.query('supportedModels')).toMatchObject({ success: true })
    await session.kill()
  })

  it('interrupts such a program too, and goes on', async () => {
    const session = await bridge.create(rig.workDir, script([{ text: 'Thinking ', hang: true }]))
    await bridge.wait('the turn', () => session.frames.length > 0)
    expect(await session.interrupt()).toMatchObject({ type: 'session.interrupted' })
    expect(await session.turns(1)).toMatchObject({ subtype: 'error_during_execution', is_error: true })
    session.prompt(says('Back.'))
    expect(await session.turns(2)).toMatchObject({ result: 'Back.' })
    await session.kill()
  })

  it('refuses options that would have no effect on the program', async () => {
    expect(await create({ prompt: 'hi', cwd: rig.workDir, options: { max_turns: 3 } })).toMatchObject({
      payload: { code: 'SESSION_CREATE_FAILED', details: { code: 'UNSUPPORTED', option: 'max_turns' } },
    })
    expect(await create({ prompt: 'hi', cwd: rig.workDir, options: { colour: 'red' } })).toMatchObject({
      payload: { code: 'SESSION_CREATE_FAILED', message: 'There is no option "colour".' },
    })
  })

  it('[POL-1] creates no session that the policy of the machine refuses, and says by which rule', async () => {
    const refused = (details: object) => ({ type: 'error', payload: { code: 'SESSION_CREATE_FAILED', details } })
    expect(await create({ prompt: 'hi', cwd: '/' })).toMatchObject(refused({ code: 'PATH_NOT_ALLOWED' }))
    const options = (more: object) => ({ prompt: 'hi', cwd: rig.workDir, options: more })
    expect(await create(options({ backend: 'codex' }))).toMatchObject(refused({ rule: 'backends' }))
    expect(await create(options({ backend: 'nobody' }))).toMatchObject(refused({ code: 'BACKEND_UNAVAILABLE' }))
    expect(await create(options({ sandbox: 'full-access' }))).toMatchObject(refused({ rule: 'maxSandbox' }))
    expect(await create(options({ permission_mode: 'yolo' }))).toMatchObject(
      refused({ rule: 'allowBypassPermissions' }),
    )
    expect(await create(options({ mcp_servers: { a: { command: 'a' } } }))).toMatchObject(
      refused({ rule: 'trustProjectConfig' }),
    )
    expect(rig.folders()).toEqual([])
  })

  it('[POL-1.5] refuses what the policy denies by name, without asking the client', async () => {
    const denied = path.join(rig.workDir, 'secrets')
    mkdirSync(denied, { recursive: true })
    rig.writePolicy({ denyPaths: [denied] })
    const session = await bridge.create(rig.workDir, script([asks({ path: 'secrets/key' }), { text: 'Done.' }]))
    await session.turns(1)
    expect(bridge.of('callback.request').filter(({ session_id }) => session_id === session.id)).toEqual([])
    expect(session.toolResults()).toContain('denyPaths')
    await session.kill()
    rig.writePolicy({})
  })

  it('[POL-3] starts nothing while the machine is paused', async () => {
    const file = path.join(rig.home, 'agent', 'config', 'paused')
    writeFileSync(file, '')
    expect(await create({ prompt: 'hi', cwd: rig.workDir })).toMatchObject({
      payload: { code: 'SESSION_CREATE_FAILED', details: { rule: 'paused' } },
    })
    rmSync(file)
  })

  it('[POL-1] with a policy that cannot be read allows nothing', async () => {
    rig.writePolicy({ colour: 'red' })
    expect(await create({ prompt: 'hi', cwd: rig.workDir })).toMatchObject({
      payload: { code: 'SESSION_CREATE_FAILED', details: { rule: 'policy_file' } },
    })
    rig.writePolicy({})
  })

  it('the owner’s variables reach a program only as far as the policy lets them', async () => {
    const other = await BridgeRig.start({
      kind: 'scripted',
      args: ['--backend', 'scripted'],
      env: { SOME_SECRET_TOKEN: 'correct-horse-battery' },
    })
    try {
      const client = other.open()
      const session = await client.create(other.workDir, says('Hello.'))
      await session.turns(1)
      const environments = processesOf(session.id).map(({ pid }) => readFileSync(`/proc/${pid}/environ`, 'utf8'))
      expect(environments.length).toBeGreaterThan(0)
      expect(environments.join('')).not.toContain('correct-horse-battery')
      // A failure that quotes it: on stdout it is as it is, on stderr it is gone.
      const reply = await create({ prompt: 'hi', cwd: path.join(other.workDir, 'correct-horse-battery') }, client)
      expect(JSON.stringify(reply)).toContain('SESSION_CREATE_FAILED')
      const named = await create(
        { prompt: 'hi', cwd: other.workDir, options: { backend: 'correct-horse-battery' } },
        client,
      )
      expect(JSON.stringify(named)).toContain('correct-horse-battery')
      await until('the log line', () => client.stderr.includes('[redacted'))
      expect(client.stderr).not.toContain('correct-horse-battery')
    } finally {
      await other.dispose()
    }
  })

  it.each<[string, (client: BridgeClient) => void]>([
    ['the end of stdin', (client) => client.closeStdin()],
    ['SIGTERM', (client) => client.kill('SIGTERM')],
    ['SIGINT', (client) => client.kill('SIGINT')],
  ])('[RES-6] by %s all its sessions end, and it exits with 0', async (_what, end) => {
    const client = rig.open()
    const busy = await client.create(rig.workDir, script([{ text: 'Thinking ', hang: true }]))
    await client.wait('the turn', () => busy.frames.length > 0)
    const asking = await client.create(rig.workDir, script([asks({ path: 'never.txt' }), { text: 'Never said.' }]))
    await asking.asked()
    end(client)
    expect(await client.exited).toBe(0)
    expect([...processesOf(busy.id), ...processesOf(asking.id), ...rig.folders()]).toEqual([])
  })

  it('every line on stdout is a message, and nothing of a session is left in the agent’s state', async () => {
    const session = await bridge.create(rig.workDir, says('Hello.'))
    await session.turns(1)
    expect(rig.folders()).toEqual([session.id])
    await session.kill()
    const state = path.join(rig.home, 'agent', 'state')
    expect(readdirSync(state, { recursive: true }).filter((name) => String(name).includes(session.id))).toEqual([])
  })

  it('`stop --sessions` of the machine’s owner ends programs of the bridge as well', async () => {
    const session = await bridge.create(rig.workDir, script([{ text: 'Thinking ', hang: true }]))
    await bridge.wait('the turn', () => session.frames.length > 0)
    expect(await rig.agent('stop', '--sessions')).toContain('Ended: 1.')
    const error = await bridge.wait('the error', (reply) => reply.type === 'error' && reply.session_id === session.id)
    expect(error).toMatchObject({ payload: { code: 'SDK_ERROR' } })
    session.prompt(says('Here again.'))
    expect(await session.turns(1)).toMatchObject({ result: 'Here again.' })
    await session.kill()
  })
})
