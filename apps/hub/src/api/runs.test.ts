// Runs over REST: each way in which a caller hears of one.
import { RunEvent, RunView } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { World } from '../testing/route-deeds'
import { completes, RunScene, says } from '../testing/runs/run-scene'

let scene: RunScene
let world: World
beforeEach(async () => {
  scene = await RunScene.start()
  world = new World(scene.hub)
})
afterEach(() => scene.stop())

const ask = (
  method: string,
  path: string,
  { body, headers }: { body?: object; headers?: Record<string, string> } = {},
) =>
  world.api.request(`http://hub/api/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': `${scene.hub.key()}-of-ana`,
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
const post = (headers: Record<string, string> = {}, query = '') =>
  ask('POST', `/runs${query}`, { body: scene.request(), headers })
const idOf = (response: Response) => response.headers.get('location')?.split('/').at(-1) ?? ''
const linesOf = async (response: Response) => {
  const lines = (await response.text()).split('\n').filter((line) => line !== '')
  return lines.map((line) => RunEvent.parse(JSON.parse(line)))
}
/** What its machine says of a run, and its end. */
async function play(runId: string, ...words: string[]) {
  await scene.begun(runId)
  await scene.agent.emit(runId, ...words.map(says), completes)
}
const lines = { accept: 'application/x-ndjson' }

describe('POST /runs', () => {
  it('[RUN-7.7] answers with lines to whoever accepts them, with the run once it is over, or at once', async () => {
    const streamed = await post(lines)
    expect([streamed.status, streamed.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
    await play(idOf(streamed), 'Hello.')
    expect(await linesOf(streamed)).toMatchObject([{ type: 'text', text: 'Hello.' }, { type: 'done' }])

    const waited = await post({ accept: 'application/json' })
    await play(idOf(waited), 'Hello.')
    const view = RunView.parse(await waited.json())
    expect(view).toMatchObject({ runId: idOf(waited), result: { payloads: [{ text: 'Hello.' }] } })

    const deferred = await post({}, '?wait=false')
    expect(deferred.status).toBe(202)
    expect(RunView.parse(await deferred.json())).toMatchObject({
      runId: idOf(deferred),
      status: { status: 'waiting_for_agent' },
    })
  })

  it('[RUN-1.5] under a key that was used is the same run, however its caller wants to hear of it', async () => {
    const key = { 'idempotency-key': 'the-key-of-the-job' }
    const first = await post(key, '?wait=false')
    await play(idOf(first), 'Hello.')
    const again = await post({ ...key, ...lines })
    expect(idOf(again)).toBe(idOf(first))
    expect(await linesOf(again)).toHaveLength(2)
    expect((await scene.hub.core.sessions.list(world.login.actor, { limit: 10 })).items).toHaveLength(1)
  })

  it('[RUN-7.10] starts nothing for whoever follows too many', async () => {
    const open = await Promise.all(Array.from({ length: 16 }, () => post(lines)))
    const refused = await post(lines)
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      429,
      'RATE_LIMITED',
    ])
    expect((await scene.runs.list(world.login.actor, { limit: 50 })).items).toHaveLength(16)
    await open[0]?.body?.cancel()
    const next = await post(lines)
    expect(next.status).toBe(200)
    await Promise.all([...open.slice(1), next].map((response) => response.body?.cancel()))
  })

  it('[RUN-7.11] counts nobody who asks for the headers alone', async () => {
    const runId = idOf(await post({}, '?wait=false'))
    for (let i = 0; i < 17; i++) expect((await ask('HEAD', `/runs/${runId}/events`)).status).toBe(200)
  })
})

describe('GET /runs/:id/events', () => {
  it('[RUN-2.2] has the rest behind a cursor', async () => {
    const made = await post({}, '?wait=false')
    const runId = idOf(made)
    await play(runId, 'a', 'b')
    const all = await linesOf(await ask('GET', `/runs/${runId}/events`))
    const rest = await linesOf(await ask('GET', `/runs/${runId}/events?after=${all[0]?.cursor}`))
    expect(rest).toEqual(all.slice(1))
    expect(await linesOf(await ask('GET', `/runs/${runId}/events?after=${all.at(-1)?.cursor}`))).toEqual([])
  })

  it.each([
    ['a run that there is not', '/runs/ses_none/events', 404, 'SESSION_NOT_FOUND'],
    ['a cursor that is none', '/runs/ses_none/events?after=-1', 400, 'INVALID_ARGUMENT'],
    ['an id that is none', '/runs/-x/events', 404, 'NOT_FOUND'],
  ])('[RUN-7.4] refuses %s', async (_what, path, status, code) => {
    const answer = await ask('GET', path)
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([status, code])
  })
})
