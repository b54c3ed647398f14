/**
 * What somebody who may only decide can choose, tried from outside: the API with the rights of an approver, on a real
 * agent whose program asks.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { createHubClient, type HubClient, signIn } from '@roundhouse/hub-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAll } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { owner } from '../support/processes/hub-process'
import { processesOf } from '../support/processes/processes'
import { type Rig, startRig } from '../support/rigs/rig'
import { tellLies } from '../support/wire/lying-machine'
import { RawWeb } from '../support/wire/raw-web'

let rig: Rig
let approver: HubClient

beforeAll(async () => {
  rig = await startRig()
  const web = new RawWeb(rig.system.hub)
  await web.asOwner()
  const email = await web.addPerson('petra', 'approver')
  approver = createHubClient(await signIn(rig.system.hub.url, email, owner.password))
})
afterAll(async () => {
  await rig.dispose()
  approver.close()
})

const written = (name: string) => path.join(rig.system.workDir, name)
const writes = (name: string) => [{ tool: 'Write', input: { file_path: name, content: 'as asked' } }, { text: 'Done.' }]
/** What the log of the session says became of the request, once it does. */
const resolvedIn = (sessionId: string, requestId: string) =>
  until('the outcome', async () =>
    (await readAll(rig.rest, sessionId))
      .map(({ body }) => JSON.parse(body))
      .find((event) => event.kind === 'permission_resolved' && event.requestId === requestId),
  )
const auditOf = async (requestId: string) =>
  (await rig.rest.audit({ limit: 500 })).items
    .filter(({ object }) => object === requestId)
    .map(({ action, actorName, outcome, detail }) => ({ action, actorName, outcome, ...JSON.parse(detail ?? '{}') }))

describe('an approver', () => {
  it('[PERM-2.5] cannot choose what runs: an edit is refused, audited, and nothing runs', async () => {
    const sessionId = await rig.begin(writes('approver.txt'))
    const { requestId, digest } = await rig.asked(sessionId)
    const updatedInput = { file_path: 'chosen.txt', content: 'by the approver' }
    await expect(approver.rest.decide(requestId, { decision: 'allow', digest, updatedInput })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    expect(await auditOf(requestId)).toEqual([
      { action: 'permission.decide', actorName: 'petra', outcome: 'refused', needs: 'session.prompt' },
    ])
    expect((await rig.asked(sessionId)).requestId).toBe(requestId)
    await approver.rest.decide(requestId, { decision: 'allow', digest })
    await resolvedIn(sessionId, requestId)
    expect([existsSync(written('chosen.txt')), readFileSync(written('approver.txt'), 'utf8')]).toEqual([
      false,
      'as asked',
    ])
  })

  it('[PERM-2.5] cannot choose it with a token of the owner that may decide and no more', async () => {
    const sessionId = await rig.begin(writes('token.txt'))
    const { requestId, digest } = await rig.asked(sessionId)
    const { token } = await rig.rest.makeToken({
      name: 'decides',
      scopes: ['read', 'decide'],
      ttlDays: 1,
      password: owner.password,
    })
    const program = createHubClient({
      baseUrl: rig.system.hub.url,
      headers: () => ({ authorization: `Bearer ${token}` }),
    })
    const edit = { decision: 'allow', digest, updatedInput: { file_path: 'token-chosen.txt', content: 'x' } } as const
    await expect(program.rest.decide(requestId, edit)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await program.rest.decide(requestId, { decision: 'deny', digest, reason: 'no' })
    program.close()
    expect(existsSync(written('token-chosen.txt'))).toBe(false)
  })

  it('[PERM-2.8] [PERM-2.7] answers a question: the answers reach the program, and cannot touch anything else of it', async () => {
    const question = { question: 'Which colour?', header: 'Colour', options: [{ label: 'Red' }, { label: 'Blue' }] }
    const sessionId = await rig.begin([
      { tool: 'AskUserQuestion', input: { questions: [question] }, ask: true },
      { text: 'Thank you.' },
    ])
    const { requestId, digest, answerFields } = await rig.asked(sessionId)
    expect(answerFields).toEqual({ field: 'answers', names: ['Which colour?'] })
    const foreign = { decision: 'allow', digest, answers: { command: 'id' } } as const
    await expect(approver.rest.decide(requestId, foreign)).rejects.toMatchObject({ code: 'EDIT_NOT_ALLOWED' })
    await approver.rest.decide(requestId, { decision: 'allow', digest, answers: { 'Which colour?': 'Red' } })
    const resolved = await resolvedIn(sessionId, requestId)
    expect(resolved).toMatchObject({
      outcome: 'applied',
      answered: true,
      effectiveInput: { questions: [question], answers: { 'Which colour?': 'Red' } },
    })
    const results = await until('the result of the question', async () => {
      const bodies = (await readAll(rig.rest, sessionId)).map(({ body }) => JSON.parse(body))
      return bodies.find(({ kind }) => kind === 'tool_result')
    })
    expect(results.output).toEqual({ 'Which colour?': 'Red' })
    expect((await auditOf(requestId)).find(({ action }) => action === 'permission.applied')).toMatchObject({
      effectiveDigest: resolved.effectiveDigest,
      effectiveInput: JSON.stringify(resolved.effectiveInput),
    })
  })

  it('[PERM-2.5] approves a plan, and cannot set the mode in which it is carried out; who may prompt can', async () => {
    const plan = [{ tool: 'ExitPlanMode', input: { plan: '1. Build it.' }, ask: true }, { text: 'On it.' }]
    const sessionId = await rig.begin(plan, { mode: 'plan' })
    const { requestId, digest } = await rig.asked(sessionId)
    const accepted = { decision: 'allow', digest, mode: 'acceptEdits' } as const
    await expect(approver.rest.decide(requestId, accepted)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await rig.rest.decide(requestId, accepted)
    expect(await resolvedIn(sessionId, requestId)).toMatchObject({ outcome: 'applied', mode: 'acceptEdits' })
    expect((await rig.rest.snapshot(sessionId, 1)).session.settings.mode).toBe('acceptEdits')
  })

  it('[PERM-2.26] an edit by somebody who may prompt stands in transcript and audit log as it ran', async () => {
    const sessionId = await rig.begin(writes('edited.txt'))
    const { requestId, digest } = await rig.asked(sessionId)
    const updatedInput = { file_path: 'edited.txt', content: 'as edited' }
    await rig.rest.decide(requestId, { decision: 'allow', digest, updatedInput })
    const resolved = await resolvedIn(sessionId, requestId)
    expect(resolved).toMatchObject({ edited: true, digest, effectiveInput: updatedInput })
    expect(readFileSync(written('edited.txt'), 'utf8')).toBe('as edited')
    const rows = await auditOf(requestId)
    expect(rows.find(({ action }) => action === 'permission.decide')).toMatchObject({
      actorName: owner.name,
      edited: true,
      sentSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(rows.find(({ action }) => action === 'permission.applied')).toMatchObject({
      digest,
      effectiveDigest: resolved.effectiveDigest,
      effectiveInput: JSON.stringify(updatedInput),
    })
  })

  it('[PERM-1.9] [PERM-1.10] gives a reason of at most 2,000 characters, which the audit log keeps', async () => {
    const sessionId = await rig.begin(writes('reason.txt'))
    const { requestId, digest } = await rig.asked(sessionId)
    const denial = (reason: string) => approver.rest.decide(requestId, { decision: 'deny', digest, reason })
    await expect(denial('x'.repeat(2_001))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await denial('Not on a Friday.')
    expect(await resolvedIn(sessionId, requestId)).toMatchObject({ decision: 'deny', reason: 'Not on a Friday.' })
    expect((await auditOf(requestId))[0]).toMatchObject({ decision: 'deny', reason: 'Not on a Friday.' })
  })
})

describe('a program of the same user', () => {
  /** All that it can read of the session: its folder, and the environment and arguments of agent, host and programs. */
  const readable = (sessionId: string): string => {
    const folder = rig.system.agent.sessionFolder(sessionId)
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    const pids = [rig.system.agent.pid, ...processesOf(sessionId).map(({ pid }) => pid)]
    const shown = pids.flatMap((pid) =>
      ['environ', 'cmdline'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'latin1')),
    )
    return [...files, ...shown].join('\n')
  }
  /** What the host of the session answers to this first line; empty where it hangs up. */
  const tryToken = (socketPath: string, token: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(socketPath, () => socket.write(`${JSON.stringify({ type: 'auth', token })}\n`))
      socket.once('data', (data) => {
        resolve(String(data))
        socket.destroy()
      })
      socket.on('error', () => resolve(''))
      socket.once('close', () => resolve(''))
    })

  it('[VER-2] finds nothing that lets it speak to the host: no file, environment or argument has the secret', async () => {
    const sessionId = await rig.begin(writes('attack.txt'))
    await rig.asked(sessionId)
    const launch = JSON.parse(readFileSync(path.join(rig.system.agent.sessionFolder(sessionId), 'launch.json'), 'utf8'))
    const words = [...new Set(readable(sessionId).match(/[A-Za-z0-9_-]{16,200}/g) ?? [])].slice(0, 5_000)
    expect(words.length).toBeGreaterThan(20)
    const answers: string[] = []
    for (const word of words) answers.push(await tryToken(launch.socketPath, word))
    expect(answers.filter((answer) => answer.includes('hello'))).toEqual([])
    expect((await rig.asked(sessionId)).toolName).toBe('Write')
  })

  it('[RES-1.7] a new daemon reaches the host all the same, also after the key of the machine was changed', async () => {
    const sessionId = await rig.begin(writes('after.txt'))
    const { requestId, digest } = await rig.asked(sessionId)
    const host = rig.system.agent.hostPid(sessionId)
    const rotated = await rig.system.agent.command(['rotate-key'])
    expect(rotated.succeeded).toBe(true)
    await rig.system.agent.kill()
    await rig.system.agent.start()
    await rig.rest.decide(requestId, { decision: 'allow', digest })
    expect(await resolvedIn(sessionId, requestId)).toMatchObject({ outcome: 'applied' })
    expect(rig.system.agent.hostPid(sessionId)).toBe(host)
  })
})

describe('a machine that says what people did', () => {
  it('[VIEW-8.16] [VIEW-8.17] gives nobody a name that they did not earn here, and the audit log says so', async () => {
    const { agentId, sessionId } = await tellLies(new RawWeb(rig.system.hub), rig.rest)
    const { events } = await rig.rest.snapshot(sessionId)
    expect(events).toHaveLength(4)
    expect(events.flatMap(({ doneBy }) => doneBy ?? [])).toEqual([])
    const rows = (await rig.rest.audit({ action: 'machine' })).items
    expect(rows.map(({ object, outcome }) => [object, outcome])).toEqual(Array(3).fill([sessionId, 'refused']))
    expect(rows.every(({ actorId }) => actorId === `agent:${agentId}`)).toBe(true)
  })

  it('[VIEW-8] a person has their name beside what they did, on pages and as it happens', async () => {
    const sessionId = await rig.begin(writes('named.txt'))
    const { requestId, digest } = await rig.asked(sessionId)
    await rig.rest.decide(requestId, { decision: 'allow', digest })
    await resolvedIn(sessionId, requestId)
    const named = (await readAll(rig.rest, sessionId)).flatMap(({ kind, doneBy }) =>
      doneBy ? [[kind, doneBy.name]] : [],
    )
    expect(named).toEqual([
      ['session_created', owner.name],
      ['user_message', owner.name],
      ['permission_resolved', owner.name],
    ])
  })
})
