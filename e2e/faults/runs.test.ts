// Runs on the built product, from outside: heard in each way, cut off at each place, and asked for in wrong ways.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { MessagesPage, type RunEvent, RunsList, RunView } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshFolder, repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { type RunsOfRig, runsOf } from '../support/rigs/runs-of-rig'
import { beginRequest } from '../support/wire/late-body'
import { RawWeb } from '../support/wire/raw-web'
import { codeOf, type RunCaller, readRun as read, textsOf } from '../support/wire/run-caller'

let rig: Rig
let caller: RunCaller
let agentId: string
let request: RunsOfRig['request']

beforeAll(async () => {
  rig = await startRig({ hubEnv: { ROUNDHOUSE_OUTBOUND_NETWORKS: '127.0.0.0/8' } })
  ;({ caller, agentId, request } = await runsOf(rig))
})
afterAll(() => rig.dispose())

const send: RunCaller['send'] = (...given) => caller.send(...given)
const started = (steps: readonly object[], more?: object) => caller.start(request(steps, more))
const get = (runId: string) => caller.get(runId)
const rest = (runId: string, after: string | undefined) => caller.rest(runId, after)
const counting = [{ count: { to: 40, delayMs: 50, prefix: 'word' } }]

describe('a run', () => {
  it('[RUN-7.7] is streamed, and ends its program', async () => {
    const response = await send('POST', '/runs', request([{ text: 'Hello.' }]), { accept: 'application/x-ndjson' })
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    const runId = response.headers.get('location')?.split('/').at(-1) ?? ''
    const events = await read(response)
    expect(textsOf(events)).toEqual(['Hello.'])
    expect(events.at(-1)).toMatchObject({ type: 'done', result: { text: 'Hello.', aborted: false } })
    await until('the end of its session', async () => (await get(runId)).status.status === 'ended')
  })

  it('[RUN-2.2] [RUN-6.1] whose hub is killed in the middle tells its caller the rest, and nothing twice', async () => {
    const response = await send('POST', '/runs', request(counting), { accept: 'application/x-ndjson' })
    const runId = response.headers.get('location')?.split('/').at(-1) ?? ''
    const before: RunEvent[] = []
    const reading = read(response, (events) => {
      before.splice(0, before.length, ...events)
      return false
    })
    await until('some words', () => before.length > 5)
    await rig.system.hub.kill()
    const first = await reading
    expect(first.some(({ type }) => type === 'done')).toBe(false)
    await rig.system.hub.start()
    const all = [...first, ...(await rest(runId, first.at(-1)?.cursor))]
    expect(all.filter(({ type }) => type === 'done')).toHaveLength(1)
    expect(new Set(all.map(({ cursor }) => cursor)).size).toBe(all.length)
    expect(await rest(runId, undefined)).toEqual(all)
    expect((await get(runId)).result?.run.text).toBe(textsOf(all).join('\n\n'))
  })

  it('[RUN-6.2] whose host is killed in the middle ends with what had been said, and with the code', async () => {
    const runId = await started(counting)
    const response = await send('GET', `/runs/${runId}/events`)
    const before = await read(response, (events) => events.length > 3)
    process.kill(await until('its host', () => rig.system.agent.hostPid(runId)), 'SIGKILL')
    const all = [...before, ...(await rest(runId, before.at(-1)?.cursor))]
    expect(all.at(-1)).toMatchObject({ type: 'done', result: { errorSubtype: 'HOST_DIED', aborted: false } })
    const { result } = await get(runId)
    expect(result?.run.text).toBe(textsOf(all).join('\n\n'))
    expect(all.filter(({ type }) => type === 'done')).toHaveLength(1)
    await until('the end of its session', async () => (await get(runId)).status.status === 'ended')
  })

  it('[RUN-1.4] that is stopped says so', async () => {
    const runId = await started([{ text: 'Begun.' }, { hang: true }])
    await read(await send('GET', `/runs/${runId}/events`), (events) => events.length > 0)
    expect((await send('POST', `/runs/${runId}/stop`, {})).status).toBe(202)
    expect((await rest(runId, undefined)).at(-1)).toMatchObject({
      type: 'done',
      result: { aborted: true, errorSubtype: 'stopped', text: 'Begun.' },
    })
  })

  it('[BUS-13.5] [BUS-13.6] is told on the bus once with what came of it, also if no machine took it and its hub was killed after that', async () => {
    const outside = request([{ text: 'x' }], { workDir: '/nowhere' })
    const runs = {
      refused: await caller.start(outside),
      completed: await started([{ text: 'Well.' }]),
      crashed: await started([{ text: 'half' }, { crash: 4 }]),
      stopped: await started([{ text: 'Begun.' }, { hang: true }]),
    }
    await read(await send('GET', `/runs/${runs.stopped}/events`), (events) => events.length > 0)
    await send('POST', `/runs/${runs.stopped}/stop`, {})
    const told = async () => {
      const page = await send('GET', '/events?after=0&pattern=system.session.ended&limit=500')
      const { items } = MessagesPage.parse(await page.json())
      const of = (runId: string) => items.filter(({ data }) => data.session_id === runId).map(({ data }) => data.why)
      return Object.entries(runs).map(([name, runId]) => [name, ...of(runId)].join(' '))
    }
    const all = ['refused failed', 'completed completed', 'crashed failed', 'stopped stopped']
    await until('all ends', async () => (await told()).every((one) => one.includes(' ')))
    await rig.system.hub.kill()
    await rig.system.hub.start()
    const later = await caller.start(outside)
    const hasLater = async () => {
      const { items } = await rig.rest.call('listMessages', { query: { after: 0, pattern: 'system.**', limit: 500 } })
      return items.some(({ data }) => data.session_id === later)
    }
    await until('an end that was told by the next hub', hasLater)
    expect(await told()).toEqual(all)
  })

  it('[RUN-7.11] is followed by nobody who asks for the headers alone', async () => {
    const runId = await started([{ text: 'Hello.' }])
    for (let i = 0; i < 17; i++) expect((await send('HEAD', `/runs/${runId}/events`)).status).toBe(200)
    expect((await rest(runId, undefined)).at(-1)).toMatchObject({ type: 'done' })
  })

  const asks = (tool: string, input: object): object[] => [{ tool, input }, { text: 'Done.' }]
  const question = { questions: [{ question: 'Which?', header: 'Which', options: [{ label: 'A' }, { label: 'B' }] }] }
  it.each([
    ['an action', 'Write', { file_path: 'a.txt', content: 'x' }],
    ['a question', 'AskUserQuestion', question],
  ])('[RUN-5.1] [RUN-5.2] denies %s without waiting, and says so in its result', async (_what, tool, input) => {
    const response = await send('POST', '/runs', request(asks(tool, input), { onPermission: 'deny' }))
    const { result } = RunView.parse(await response.json())
    expect(result?.run.permissionDenials).toMatchObject([{ tool }])
  })

  it('[RUN-5.3] waits for a person, whose inbox has what it asks', async () => {
    const runId = await started(asks('Write', { file_path: 'b.txt', content: 'x' }))
    const ask = await rig.asked(runId)
    expect((await rig.rest.inbox()).requests.some(({ sessionId }) => sessionId === runId)).toBe(true)
    await rig.allow(ask)
    expect((await rest(runId, undefined)).at(-1)).toMatchObject({ type: 'done', result: { text: 'Done.' } })
  })
})

describe('[RUN-7.6] what is wrong is answered with a code', () => {
  const steps = [{ text: 'x' }]
  it.each<[string, () => Promise<Response>, number, string]>([
    ['no JSON', () => send('POST', '/runs', '{'), 400, 'INVALID_ARGUMENT'],
    ['another shape', () => send('POST', '/runs', { prompt: 7 }), 400, 'INVALID_ARGUMENT'],
    ['a misspelt name', () => send('POST', '/runs', request(steps, { onPermision: 'deny' })), 400, 'INVALID_ARGUMENT'],
    [
      'autoResume',
      () => send('POST', '/runs', request(steps, { settings: { autoResume: true } })),
      400,
      'INVALID_ARGUMENT',
    ],
    ['no such machine', () => send('POST', '/runs', request(steps, { agentId: 'agt_none' })), 404, 'NOT_FOUND'],
    [
      'no such program',
      () => send('POST', '/runs', request(steps, { backend: 'nonsense' })),
      503,
      'BACKEND_UNAVAILABLE',
    ],
    [
      '2 MB of prompt',
      () => send('POST', '/runs', request(steps, { prompt: 'x'.repeat(2_097_152) })),
      413,
      'PROMPT_TOO_LARGE',
    ],
    ['a run that there is not', () => send('GET', '/runs/ses_none'), 404, 'SESSION_NOT_FOUND'],
    ['its events', () => send('GET', '/runs/ses_none/events'), 404, 'SESSION_NOT_FOUND'],
    ['its end', () => send('POST', '/runs/ses_none/stop', {}), 404, 'SESSION_NOT_FOUND'],
    ['a cursor that is none', () => send('GET', '/runs/ses_none/events?after=x.y'), 400, 'INVALID_ARGUMENT'],
    ['a page that is none', () => send('GET', '/runs?cursor=x'), 400, 'INVALID_ARGUMENT'],
    ['nobody', () => send('GET', '/runs', undefined, { authorization: 'Bearer x' }), 401, 'AUTH_REQUIRED'],
  ])('%s', async (_what, ask, status, code) => {
    const response = await ask()
    expect([response.status, await codeOf(response)]).toEqual([status, code])
  })

  it('10 MB of prompt', async () => {
    // The hub answers before it has read the body.
    const headers = {
      authorization: `Bearer ${caller.token}`,
      'content-type': 'application/json',
      'idempotency-key': caller.newKey(),
    }
    const body = JSON.stringify(request(steps, { prompt: 'x'.repeat(10_485_760) }))
    const whole = { ...headers, 'content-length': String(Buffer.byteLength(body)) }
    const begun = await beginRequest(new RawWeb(rig.system.hub), '/api/v1/runs', {
      method: 'POST',
      headers: whole,
      body: '',
    })
    const answer = await begun.answer
    expect([answer.status, answer.code]).toEqual([413, 'FRAME_TOO_LARGE'])
  })

  it('[RUN-3.6] a folder outside the roots, which its machine refuses', async () => {
    const response = await send('POST', '/runs', request(steps, { workDir: '/etc' }))
    const { result } = RunView.parse(await response.json())
    expect(result?.run).toMatchObject({ errorSubtype: 'PATH_NOT_ALLOWED', text: '' })
  })
})

describe('[RUN-7.1] somebody else', () => {
  const runOf = async () => {
    const runId = await started([{ text: 'Mine.' }])
    await rest(runId, undefined)
    return runId
  }
  const codesOf = async (web: RawWeb, login: string, runId: string) => {
    const ask = async (method: string, target: string, body?: object) => {
      const headers = { ...web.json, login, 'idempotency-key': caller.newKey() }
      const text = body === undefined ? {} : { body: JSON.stringify(body) }
      return (await web.ask(`/api/v1${target}`, { method, headers, ...text })).code
    }
    return [
      await ask('GET', `/runs/${runId}`),
      await ask('GET', `/runs/${runId}/events`),
      await ask('POST', `/runs/${runId}/stop`, {}),
      await ask('POST', '/runs', request([{ text: 'x' }])),
    ]
  }

  it('who may not use its machine gets for a run of another person what they get for its session', async () => {
    const web = new RawWeb(rig.system.hub)
    await web.asOwner()
    const login = await web.signIn(await web.addPerson('mallory', 'operator', []))
    const runId = await runOf()
    const codes = await codesOf(web, login, runId)
    expect(codes).toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'])
    expect((await web.ask(`/api/v1/sessions/${runId}`, { headers: { login } })).code).toBe('FORBIDDEN')
    expect((await web.ask('/api/v1/runs', { headers: { login } })).body).toContain('"items":[]')
  })

  it('who may only look neither starts nor stops one', async () => {
    const web = new RawWeb(rig.system.hub)
    await web.asOwner()
    const login = await web.signIn(await web.addPerson('vic', 'viewer'))
    expect((await codesOf(web, login, await runOf())).slice(2)).toEqual(['FORBIDDEN', 'FORBIDDEN'])
  })
})

describe('the recipes of docs/automation.md', () => {
  const docs = (name: string) => readFileSync(path.join(repoRoot, 'docs', name), 'utf8')
  const page = docs('automation.md')
  const folder = freshFolder('recipes')
  const snippet = (recipe: string, language: string) =>
    new RegExp(`\`\`\`${language}\\n((?:#|//) recipe: ${recipe}\\n[^]*?)\`\`\``).exec(page)?.[1] ?? 'no recipe'
  /** A recipe that a person saved as a file. */
  const saved = (recipe: string) => {
    const file = path.join(folder, `${recipe}.mjs`)
    writeFileSync(file, snippet(recipe, 'js'))
    return [process.execPath, file]
  }
  function begin([program = '', ...args]: readonly string[], more: Record<string, string>) {
    const env = {
      PATH: process.env.PATH,
      ROUNDHOUSE_URL: rig.system.hub.url,
      ROUNDHOUSE_TOKEN: caller.token,
      ROUNDHOUSE_MACHINE: agentId,
      BACKEND: 'scripted',
      FOLDER: rig.system.workDir,
      JOB_KEY: caller.newKey(),
      ...more,
    }
    return spawn(program, args, { env: env as NodeJS.ProcessEnv, stdio: ['ignore', 'pipe', 'pipe'] })
  }
  async function play(command: readonly string[], more: Record<string, string>) {
    const child = begin(command, more)
    const code = new Promise<number | null>((resolve) => child.once('close', resolve))
    return { out: await text(child.stdout), err: await text(child.stderr), code: await code }
  }
  const promptOf = (steps: readonly object[]) => JSON.stringify(scriptOf(steps))
  const shell = (recipe: string, steps: readonly object[], more: Record<string, string> = {}) =>
    play(['sh', '-c', snippet(recipe, 'sh')], { PROMPT_JSON: promptOf(steps), ...more })
  const listed = async () => RunsList.parse(await (await send('GET', '/runs?limit=200')).json()).items.length
  const crashing = [{ text: 'Oh.' }, { crash: 3 }]

  it('ci: prints what was said, and fails where the run failed', async () => {
    const done = await shell('ci', [{ text: 'All is well.' }])
    expect(done).toMatchObject({ out: 'All is well.\n', err: expect.stringMatching(/^Run: \S+\n$/), code: 0 })
    const failed = await shell('ci', crashing)
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('BACKEND_CRASHED') })
  })

  it('ci: prints the code and the sentence of a refusal', async () => {
    const refused = await shell('ci', [{ text: 'x' }], { JOB_KEY: 'short' })
    expect(refused).toMatchObject({ out: '', code: 1, err: expect.stringContaining('"INVALID_ARGUMENT"') })
    expect(refused.err).toContain('Idempotency-Key must have 8 to 100 letters, digits, _ and -.')
  })

  const isStopped = (err: string) => {
    const runId = /sessions\/(\S+)/.exec(err)?.[1] ?? ''
    return until('the end of its run', async () => (await get(runId)).result?.run.errorSubtype === 'stopped')
  }

  it('ci: stops its run when its time is over, and when it is cancelled', async () => {
    const slow = await shell('ci', [{ hang: true }], { TIME_LIMIT: '1' })
    expect(slow).toMatchObject({ out: '', code: 28, err: expect.stringContaining('timed out') })
    await isStopped(slow.err)
    const child = begin(['sh', '-c', snippet('ci', 'sh')], { PROMPT_JSON: promptOf([{ hang: true }]) })
    const code = once(child, 'close')
    const [err] = await once(child.stderr.setEncoding('utf8'), 'data')
    child.kill()
    expect((await code)[0]).toBe(143)
    await isStopped(err)
  })

  it('cron: starts one run a day by a line of a crontab, and does not wait', async () => {
    const line = /^0 3 \* \* \* ([^%\n]+)$/m.exec(snippet('crontab', 'text'))?.[1] ?? 'no line'
    writeFileSync(path.join(folder, 'nightly.sh'), snippet('cron', 'sh'))
    const nightly = (prompt: string) => {
      writeFileSync(path.join(folder, 'nightly.env'), `PROMPT_JSON='${promptOf([{ text: prompt }])}'\n`)
      return play(['sh', '-c', line], { HOME: folder })
    }
    const before = await listed()
    expect(await nightly('Good night.')).toEqual({ out: '', err: '', code: 0 })
    expect(await nightly('Good night.')).toEqual({ out: '', err: '', code: 0 })
    expect(await listed()).toBe(before + 1)
    expect(await nightly('Good day.')).toMatchObject({ code: 1, err: expect.stringContaining('IDEMPOTENCY_MISMATCH') })
  })

  it('fan-out: runs each prompt once, and fails where one failed', async () => {
    const prompts = [...['One.', 'Two.', 'Three.', 'Four.'].map((said) => [{ text: said }]), crashing].map(scriptOf)
    const given = { PROMPTS_JSON: JSON.stringify(prompts), JOB_KEY: caller.newKey() }
    const before = await listed()
    const { out, code } = await play(saved('fan-out'), given)
    const lines = out.trimEnd().split('\n').sort()
    expect(lines.slice(0, 4)).toEqual(['1: One.', '2: Two.', '3: Three.', '4: Four.'])
    expect([lines.length, lines[4]?.slice(0, 3), code]).toEqual([5, '5: ', 1])
    expect((await play(saved('fan-out'), given)).out.trimEnd().split('\n').sort()).toEqual(lines)
    expect(await listed()).toBe(before + 5)
  })

  it('issue-tracker: opens an issue for a run that failed, and for no other', async () => {
    const issues: object[] = []
    const tracker = createServer(async (request, response) => {
      issues.push(JSON.parse(await text(request)))
      response.writeHead(201).end()
    })
    await once(tracker.listen(0, '127.0.0.1'), 'listening')
    const addressOf = (port: number | string) => `http://127.0.0.1:${port}/`
    const [, verify = ''] = /<!-- a test runs this -->\n```js\n(.*?)```/s.exec(docs('webhooks.md')) ?? []
    writeFileSync(path.join(folder, 'verify.mjs'), verify)
    const trackerUrl = addressOf((tracker.address() as AddressInfo).port)
    // The program needs the secret before it has an address.
    const body = { url: trackerUrl, topics: ['system.session.ended'], enabled: false }
    const { webhook, secret } = await rig.rest.call('createWebhook', { body })
    const own = { WEBHOOK_SECRET: secret, TRACKER_URL: trackerUrl, TRACKER_TOKEN: 't', PORT: '0' }
    const child = begin(saved('issue-tracker'), own)
    try {
      const [port] = await once(child.stdout.setEncoding('utf8'), 'data')
      const url = addressOf(String(port).trim())
      const id = { webhookId: webhook.webhookId }
      await rig.rest.call('changeWebhook', { id, body: { url, enabled: true } })
      const forged = await fetch(url, { method: 'POST', body: '{"type":"system.session.ended"}' })
      expect(forged.status).toBe(401)
      await rest(await started([{ text: 'All is well.' }]), undefined)
      const failed = await started(crashing)
      await until('the issue', () => issues.length > 0)
      const found = { title: 'A run failed: BACKEND_CRASHED', body: expect.stringContaining(`/sessions/${failed}`) }
      expect(issues).toMatchObject([found])
    } finally {
      child.kill()
      tracker.close()
    }
  })
})
