/** A program asks for another session, and the built hub dies before it starts it, and again before it answers. */
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { PlayedLogs } from '../support/rigs/played-logs'
import { PlayedMachine } from '../support/rigs/played-machine'
import { hubOfFile } from '../support/wire/hub-of-file'
import { envelope, runningState } from '../support/wire/raw-events'

const marks = freshFolder('tree-marks')
const markOf = (name: string) => path.join(marks, name)
const dies = { do: 'kill' } as const
const points = {
  'hub.tree.beforeAnswer': { ...dies, mark: markOf('before') },
  'hub.tree.afterAnswer': { ...dies, mark: markOf('after') },
}
const { hub, web } = hubOfFile('tree', { env: { ROUNDHOUSE_FAILPOINTS: JSON.stringify(points) } })
const settings = { backend: 'scripted', workDir: '/code' }

it('[TREE-2.2] a hub that dies between the ack and the child, and between the child and the answer, starts one child and answers once', async () => {
  const { rest, close } = await hub.client()
  const machine = await PlayedMachine.join(web, (await rest.makeEnrollmentToken({})).token)
  const { sessionId, commandId } = await rest.createSession({ agentId: machine.agentId, settings, prompt: 'Go.' })
  await rest.setSpawning(sessionId, { on: true, budgetUsd: 1 })
  const logId = `log_${sessionId}`
  const events = [
    { kind: 'session_created', commandId, logId, settings, realWorkDir: '/code' },
    { kind: 'session_request', requestId: 'q1', verb: 'spawn', input: { prompt: 'Run the tests.', title: 'Tests' } },
    { kind: 'session_request', requestId: 'q2', verb: 'send', input: { sessionId, text: 'To itself.' } },
  ].map((event, i) => envelope(event, { seq: i + 1 }))
  const report = (acked: number) =>
    machine.ask('sessions', {
      last: true,
      sessions: [{ sessionId, logId, firstRetained: 1, last: 3, acked, ackedEpoch: '' }],
    })
  await report(0)
  await machine.ask('events', { sessionId, logId, events: events.slice(0, 2) })
  for (const name of ['before', 'after']) {
    await until(`the hub to die ${name}`, () => existsSync(markOf(name)))
    await hub.kill()
    await hub.start()
  }
  await until('the hub to take the machine', async () => {
    await machine.connect()
    await report(2)
    return true
  })

  const answers = (requestId: string) =>
    machine.commands.flatMap(({ commandId: id, body }) =>
      body.kind === 'tool.answer' && body.requestId === requestId ? [{ id, answer: body.answer }] : [],
    )
  await until('the answer', () => answers('q1').length > 0)
  const children = (await rest.sessions()).items.filter(({ parentId }) => parentId === sessionId)
  expect(children).toMatchObject([{ title: 'Tests', rootId: sessionId }])
  const childId = children[0]?.sessionId
  expect(answers('q1')[0]?.answer).toMatchObject({ ok: true, result: { sessionId: childId } })

  // The same events again change nothing.
  await machine.ask('events', { sessionId, logId, events: events.slice(0, 2) })
  await machine.ask('events', { sessionId, logId, events: events.slice(2) })
  await until('the next answer', () => answers('q2').length > 0)
  expect(new Set(answers('q1').map(({ id }) => id)).size).toBe(1)
  expect(answers('q2')[0]?.answer).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENT' } })
  const made = machine.commands.filter(({ body }) => body.kind === 'session.create')
  expect(new Set(made.map((command) => command.sessionId))).toEqual(new Set([sessionId, childId]))
  expect((await rest.sessions()).items).toHaveLength(2)
  machine.close()
  close()
}, 120_000)

it('[TREE-2.2] [TREE-2.7] a hub that dies around a message to a child, and while a program waits for it, sends it once and answers each call once', async () => {
  const { rest, close } = await hub.client()
  const machine = await PlayedMachine.join(web, (await rest.makeEnrollmentToken({})).token)
  const { sessionId } = await rest.createSession({ agentId: machine.agentId, settings })
  await rest.setSpawning(sessionId, { on: true, budgetUsd: 1 })
  const logs = new PlayedLogs(machine)
  await logs.begin(sessionId)
  const [spawn = ''] = await logs.request(sessionId, 'spawn', { prompt: 'Run the tests.' })
  await until('the child', () => logs.outcome(spawn) === 'ok')
  const child = await until('its creation', () =>
    machine.commands.find(({ body, sessionId: id }) => body.kind === 'session.create' && id !== sessionId),
  )
  const turn = { turnId: 'turn_child', procId: 'p' }
  await logs.begin(
    child.sessionId,
    { kind: 'session_started', ...{ procId: 'p', backendSessionId: 'b', resumed: false } },
    { kind: 'turn_started', ...{ commandId: child.commandId, ...turn, trigger: 'prompt', promptId: 'p1' } },
  )
  machine.tell('state', runningState(child.sessionId, { rev: 1, atSeq: 3, turnId: turn.turnId }))

  rmSync(markOf('before'), { force: true })
  rmSync(markOf('after'), { force: true })
  // The hub may die before it answers this.
  const message = { sessionId: child.sessionId, text: 'Only the slow ones.' }
  const send = logs.newRequest('send', message)
  await logs.write(sessionId, send).catch(() => {})
  for (const name of ['before', 'after']) {
    await until(`the hub to die ${name}`, () => existsSync(markOf(name)))
    await hub.kill()
    await hub.start()
  }
  await logs.comeBack()
  await until('the answer', () => logs.outcome(send.requestId) !== 'open')
  const [wait = ''] = await logs.request(sessionId, 'wait', { sessionIds: [child.sessionId] })
  const inside = async () => (await rest.snapshot(child.sessionId)).session.status.status
  await until('the hub to show the turn', async () => (await inside()) === 'running')
  expect(logs.answers(wait)).toEqual([])
  await hub.kill()
  await hub.start()
  await logs.comeBack()
  expect(logs.answers(wait)).toEqual([])
  const sent = () =>
    machine.commands.flatMap((one) =>
      one.sessionId === child.sessionId && one.body.kind === 'prompt.send' ? [{ ...one, ...one.body }] : [],
    )
  expect(new Set(sent().map((one) => one.commandId)).size).toBe(1)
  expect(sent()[0]?.text).toContain('Only the slow ones.')
  const [{ commandId: second = '', promptId = '' } = {}] = sent()
  const next = { turnId: 'turn_next', procId: 'p' }
  await logs.write(
    child.sessionId,
    { kind: 'turn_completed', ...{ ...turn, reason: 'completed' } },
    { kind: 'turn_started', ...{ commandId: second, ...next, trigger: 'prompt', promptId } },
    { kind: 'turn_completed', ...{ ...next, reason: 'completed' } },
  )
  machine.tell('state', runningState(child.sessionId, { rev: 2, atSeq: 6, status: { status: 'idle' } }))
  await until('the wait to be answered', () => logs.outcome(wait) !== 'open')
  expect(logs.answers(wait)[0]?.answer).toMatchObject({ ok: true, result: { timedOut: false } })
  for (const asked of [spawn, send.requestId, wait])
    expect(new Set(logs.answers(asked).map(({ commandId }) => commandId)).size).toBe(1)
  machine.close()
  close()
}, 120_000)

it('[TREE-5.1] a child that is being started when its tree is stopped ends with it', async () => {
  const { rest, close } = await hub.client()
  const machine = await PlayedMachine.join(web, (await rest.makeEnrollmentToken({})).token)
  const { sessionId, commandId } = await rest.createSession({ agentId: machine.agentId, settings })
  await rest.setSpawning(sessionId, { on: true, budgetTokens: 1_000 })
  const logId = `log_${sessionId}`
  const ask = (seq: number) => ({
    kind: 'session_request',
    requestId: `r${seq}`,
    verb: 'spawn',
    input: { prompt: 'x' },
  })
  const created = { kind: 'session_created', commandId, logId, settings, realWorkDir: '/code' }
  const events = [created, ...[2, 3, 4, 5, 6, 7].map(ask)].map((event, i) => envelope(event, { seq: i + 1 }))
  await machine.ask('sessions', {
    last: true,
    sessions: [{ sessionId, logId, firstRetained: 1, last: 7, acked: 0, ackedEpoch: '' }],
  })
  // The stop races with what is being started.
  await machine.ask('events', { sessionId, logId, events })
  await rest.stopTree(sessionId)
  const answered = () =>
    machine.commands.filter((one) => one.sessionId === sessionId && one.body.kind === 'tool.answer')
  await until('each request to be answered', () => new Set(answered().map((one) => one.commandId)).size === 6)
  const children = (await rest.sessions()).items.filter(({ parentId }) => parentId === sessionId)
  const stopped = () =>
    new Set(machine.commands.flatMap((one) => (one.body.kind === 'session.stop' ? [one.sessionId] : [])))
  await until('a stop for each', () =>
    [sessionId, ...children.map((one) => one.sessionId)].every((id) => stopped().has(id)),
  )
  const started = answered().filter(({ body }) => body.kind === 'tool.answer' && body.answer.ok)
  expect(started).toHaveLength(children.length)
  const refused = answered().flatMap(({ body }) =>
    body.kind === 'tool.answer' && !body.answer.ok ? [body.answer.error.code] : [],
  )
  expect(refused.every((code) => code === 'TREE_STOPPED')).toBe(true)
  machine.close()
  close()
}, 120_000)
