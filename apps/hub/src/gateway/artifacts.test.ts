// What was cut from events, read through the hub from the machine that has it: chunk by chunk, and each is judged.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Actor } from '../core'
import type { FakeAgent } from '../testing/fake-agent'
import { World } from '../testing/route-deeds'
import { liveSession } from '../testing/scenario'
import { ana, ben, TestHub, vic } from '../testing/test-hub'

describe('what was cut', () => {
  let hub: TestHub
  let world: World
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    hub = await TestHub.start()
    world = new World(hub)
    agent = await hub.connectedAgent()
    sessionId = await liveSession(hub, agent)
  })
  afterEach(() => hub.stop())

  const as = (actor: Actor) => {
    world.login = { actor, loginId: 'l', email: 'x@example.com' }
  }
  const read = (artifactId = 'a1', from = 0, of = sessionId) =>
    world.api.request(`http://hub/api/v1/sessions/${of}/artifacts/${artifactId}?from=${from}`, { method: 'GET' })
  const codeOf = async (answer: Promise<Response> | Response) =>
    ((await (await answer).json()) as { error?: { code: string } }).error?.code
  const chunkOf = (text: string, bytes: number) => ({ data: Buffer.from(text).toString('base64'), bytes })

  it('[LOG-6.11] comes as a part of a file, and the machine is asked by session and id', async () => {
    agent.questionAnswer = chunkOf('the middle', 1_000)
    const answer = await read('a1', 40)
    expect(await answer.text()).toBe('the middle')
    expect(answer.status).toBe(206)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="a1.txt"',
      'content-range': 'bytes 40-49/1000',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(agent.questions).toEqual([{ kind: 'artifact', sessionId, artifactId: 'a1', from: 40 }])
  })

  it('[LOG-6.10] is read by whoever may read the session, each time', async () => {
    agent.questionAnswer = chunkOf('x', 2)
    as(vic)
    expect((await read()).status).toBe(206)
    as({ ...ben, agents: new Set() })
    expect(await codeOf(read())).toBe('FORBIDDEN')
    as(vic)
    agent.questionAnswer = Promise.resolve().then(() => {
      hub.people.delete(vic.userId) // while the machine reads
      return chunkOf('x', 2)
    })
    expect(await codeOf(read('a1', 1))).toBe('AUTH_REQUIRED')
  })

  it('[LOG-6.14] no id is a path, and another session is asked of its own machine', async () => {
    expect((await read('..%2f..%2fsecret')).status).toBe(404)
    expect(agent.questions).toEqual([])
    const other = await hub.connectedAgent('other')
    const elsewhere = await liveSession(hub, other)
    other.questionAnswer = chunkOf('x', 1)
    await read('a1', 0, elsewhere)
    expect(agent.questions).toEqual([])
    expect(other.questions).toHaveLength(1)
  })

  it('[LOG-6.15] has a code where its machine is away, goes away, is too old, or says what nobody understands', async () => {
    agent.questionAnswer = { data: 'no base64!', bytes: -1 }
    expect(await codeOf(read())).toBe('BACKEND_ERROR')
    agent.questionAnswer = undefined
    expect(await codeOf(read())).toBe('BACKEND_ERROR')
    agent.questionError = { code: 'MALFORMED_FRAME', message: 'kind: unknown', retryable: false }
    expect(await codeOf(read())).toBe('UNSUPPORTED')
    agent.questionError = { code: 'ARTIFACT_GONE', message: 'gone', retryable: false }
    expect(await codeOf(read())).toBe('ARTIFACT_GONE')
    agent.questionError = null
    agent.questionAnswer = new Promise(() => {})
    const asked = agent.questions.length
    const answer = codeOf(read())
    await agent.waiter.until(() => agent.questions.length > asked)
    agent.close()
    expect(await answer).toBe('AGENT_OFFLINE')
    expect(await codeOf(read())).toBe('AGENT_OFFLINE')
  })

  it.each([
    ...['AUTH_REQUIRED', 'PROOF_STALE', 'FORBIDDEN', 'INTERNAL', 'toString', '__proto__', 'constructor'].map(
      (code) => ({ code }),
    ),
    { code: 1 },
    { code: 'NOT_FOUND', message: { x: 1 } },
    { code: 'NOT_FOUND', message: 'm', details: 'x', retryable: 'x' },
    'no error',
  ])('[CMD-6.3] a machine that refuses with %j says nothing in the name of the hub', async (error) => {
    const body = { message: 'm', retryable: false, details: { retryAfterMs: 1 } }
    agent.questionError = (typeof error === 'string' ? error : { ...body, ...error }) as never
    const answer = await read()
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([502, null])
    expect(await codeOf(Promise.resolve(answer))).toBe('BACKEND_ERROR')
  })

  it('[LOG-6.12] a machine that does not answer delays no event of it, and a third chunk of one person is refused', async () => {
    let answerNow = (_chunk: unknown) => {}
    agent.questionAnswer = new Promise((resolve) => {
      answerNow = resolve
    })
    const two = [read('a1'), read('a2')]
    await agent.waiter.until(() => agent.questions.length === 2)
    expect(await codeOf(read('a3'))).toBe('RATE_LIMITED')
    expect(await agent.emit(sessionId, { kind: 'assistant_text', text: 'meanwhile' })).toBe(2)
    as(ana)
    answerNow(chunkOf('x', 1))
    expect((await Promise.all(two)).map(({ status }) => status)).toEqual([206, 206])
    expect((await read('a3')).status).toBe(206)
  })
})
