// Images of prompts at the hub: who may upload, use and see them, what is refused, how they reach the machine, when they go.
import { IMAGE_LIMIT_BYTES, type ImageChunk } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Actor } from '../core'
import type { FakeAgent } from '../testing/fake-agent'
import { World } from '../testing/route-deeds'
import { liveSession, text } from '../testing/scenario'
import { letTakeImages, somePng } from '../testing/some-images'
import { ana, ben, TestHub, vic } from '../testing/test-hub'

const DAY_MS = 24 * 3_600_000

describe('an image of a prompt', () => {
  let hub: TestHub
  let world: World
  let agent: FakeAgent
  let sessionId: string
  let now = 1_700_000_000_000
  beforeEach(async () => {
    hub = await TestHub.start({ now: () => now })
    world = new World(hub)
    agent = await hub.connectedAgent()
    sessionId = await liveSession(hub, agent)
    await letTakeImages(hub, agent.agentId)
  })
  afterEach(() => hub.stop())

  const as = (actor: Actor) => {
    world.login = { actor, loginId: 'l', email: 'x@example.com' }
  }
  const uploadAnswer = async (bytes: Uint8Array<ArrayBuffer>, to = sessionId, key = `${hub.key()}-upload`) => {
    const headers = { 'content-type': 'application/octet-stream', 'idempotency-key': key }
    const answer = await world.api.request(`http://hub/api/v1/sessions/${to}/images`, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(bytes.length) },
      body: bytes,
    })
    return (await answer.json()) as { imageId: string; error?: { code: string } }
  }
  const upload = async (bytes = somePng(), to = sessionId) => {
    const { imageId, error } = await uploadAnswer(bytes, to)
    if (error) throw new Error(error.code)
    return imageId
  }
  const refusalOf = async (bytes: Uint8Array<ArrayBuffer>) => (await uploadAnswer(bytes)).error?.code
  const get = (imageId: string, of = sessionId) =>
    world.api.request(`http://hub/api/v1/sessions/${of}/images/${imageId}`, { method: 'GET' })
  const prompt = (images: string[], promptId = hub.key(), text = 'look') =>
    world.ask('POST', `/sessions/${sessionId}/prompts`, { promptId, text, images })
  const codeOf = (answer: Awaited<ReturnType<typeof prompt>>) =>
    (answer.json.error as { code: string } | undefined)?.code
  const chunks = async (imageId: string, from = 0, to = sessionId, of = agent) =>
    of.ask<ImageChunk>('image', { sessionId: to, imageId, from })

  it('[IMG-1.2] is what its first bytes say, whatever it is called: SVG, text and nothing are none', async () => {
    const file = (words: string) => new Uint8Array(Buffer.from(words))
    expect(await refusalOf(file('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBe('IMAGE_INVALID')
    expect(await refusalOf(file('no image'))).toBe('IMAGE_INVALID')
    expect(await refusalOf(new Uint8Array())).toBe('IMAGE_INVALID')
    for (const begins of ['GIF89a....', 'RIFF....WEBP', '\u00ff']) {
      const bytes = begins === '\u00ff' ? new Uint8Array([0xff, 0xd8, 0xff, 0xe0]) : file(begins)
      expect(await refusalOf(bytes), begins).toBeUndefined()
    }
  })

  it('[IMG-1.1] has 5 MB at most, and a prompt ten of them', async () => {
    expect(await refusalOf(somePng(IMAGE_LIMIT_BYTES))).toBeUndefined()
    expect(await refusalOf(somePng(IMAGE_LIMIT_BYTES + 1))).toBe('IMAGE_TOO_LARGE')
    const images = []
    for (let i = 0; i < 11; i++) images.push(await upload(somePng(100, i)))
    expect(codeOf(await prompt(images))).toBe('TOO_MANY_IMAGES')
    expect((await prompt(images.slice(1))).ok).toBe(true)
    await agent.waiter.until(() => agent.commands.some(({ body }) => body.kind === 'prompt.send'))
    expect(agent.commands.at(-1)?.body).toMatchObject({ images: images.slice(1).map((imageId) => ({ imageId })) })
  })

  it('[IMG-1.7] [IMG-1.8] is of one session, and of its sender until a prompt brings it', async () => {
    const other = await liveSession(hub, agent)
    const [mine, elsewhere] = [await upload(), await upload(somePng(), other)]
    expect(codeOf(await prompt([elsewhere]))).toBe('IMAGE_NOT_FOUND')
    as(ben)
    expect(codeOf(await prompt([mine]))).toBe('IMAGE_NOT_FOUND')
    expect((await get(mine)).status).toBe(404)
    as(ana)
    expect((await get(mine)).status).toBe(200)
    expect((await get(mine, other)).status).toBe(404)
    expect((await prompt([mine])).ok).toBe(true)
    as(vic)
    expect((await get(mine)).status).toBe(200)
    as(ben)
    expect((await prompt([mine])).ok).toBe(true) // as when a failed turn is tried again
  })

  it('[IMG-1.3] needs the right to prompt, on that machine', async () => {
    as(vic)
    expect(await refusalOf(somePng())).toBe('FORBIDDEN')
    as({ ...ben, agents: new Set() })
    expect(await refusalOf(somePng())).toBe('FORBIDDEN')
    as({ ...vic, agents: new Set() })
    expect((await get('img_1')).status).toBe(403)
  })

  it('[IMG-1.4] is refused for a program or an agent that would pass over it', async () => {
    const other = await hub.connectedAgent('old')
    expect((await uploadAnswer(somePng(), await liveSession(hub, other))).error?.code).toBe('UNSUPPORTED')
  })

  it('[IMG-1.5] is a prompt without a text where the program takes that, and nothing is none', async () => {
    const imageId = await upload()
    expect((await prompt([imageId], 'p_alone', '')).ok).toBe(true)
    await agent.waiter.until(() => agent.commands.some(({ body }) => body.kind === 'prompt.send'))
    expect(agent.commands.at(-1)?.body).toMatchObject({ promptId: 'p_alone', text: '', images: [{ imageId }] })
    await letTakeImages(hub, agent.agentId, false)
    expect(codeOf(await prompt([imageId], 'p_older', ''))).toBe('UNSUPPORTED')
    expect((await prompt([imageId], 'p_words')).ok).toBe(true)
    const nothing = await world.ask('POST', `/sessions/${sessionId}/prompts`, { promptId: 'p_nothing', text: '' })
    expect(codeOf(nothing)).toBe('INVALID_ARGUMENT')
  })

  it('[IMG-1.12] is given back as a file and as nothing else', async () => {
    const bytes = somePng(300_000, 7)
    const imageId = await upload(bytes)
    const answer = await get(imageId)
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${imageId}.png"`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  })

  it('[CMD-1.3] a repeated upload is the first one, and leaves nothing behind', async () => {
    const first = await uploadAnswer(somePng(), sessionId, 'the-same-key')
    expect(await uploadAnswer(somePng(), sessionId, 'the-same-key')).toEqual(first)
    expect((await uploadAnswer(somePng(100, 2), sessionId, 'the-same-key')).error?.code).toBe('IDEMPOTENCY_MISMATCH')
    expect(await hub.store.prisma.imagePart.count()).toBe(1)
  })

  it('[IMG-2.2] reaches its machine in chunks, once a prompt brings it', async () => {
    const bytes = somePng(600_000, 9)
    const imageId = await upload(bytes)
    expect(await chunks(imageId)).toMatchObject({ error: { code: 'IMAGE_NOT_FOUND' } })
    await prompt([imageId])
    const parts: Buffer[] = []
    for (let from = 0; from < bytes.length; from += parts.at(-1)?.length ?? 0) {
      const reply = await chunks(imageId, from)
      parts.push(Buffer.from(reply.ok ? reply.data : '', 'base64'))
    }
    expect(Buffer.concat(parts).equals(Buffer.from(bytes))).toBe(true)
    expect(await chunks(imageId, bytes.length)).toMatchObject({ error: { code: 'IMAGE_NOT_FOUND' } })
    const stranger = await hub.connectedAgent('other')
    expect(await chunks(imageId, 0, sessionId, stranger)).toMatchObject({ error: { code: 'SESSION_NOT_YOURS' } })
    expect(await chunks(imageId, 0, await liveSession(hub, agent))).toMatchObject({
      error: { code: 'IMAGE_NOT_FOUND' },
    })
  })

  it('[IMG-1.10] one that no prompt brings goes after a day, and so does what broke off', async () => {
    const [kept, left] = [await upload(), await upload(somePng(100, 2))]
    await prompt([kept])
    await hub.store.images.keep('img_broken', somePng(), now)
    now += DAY_MS + 3_600_000
    await hub.core.tick()
    await hub.core.tick()
    const parts = await hub.store.prisma.imagePart.findMany({ select: { imageId: true } })
    expect(parts).toEqual([{ imageId: kept }])
    expect(codeOf(await prompt([left]))).toBe('IMAGE_NOT_FOUND')
  })

  it('[SES-3] goes with its session', async () => {
    await prompt([await upload()])
    await upload(somePng(100, 2))
    await hub.core.sessions.remove(ana, sessionId, hub.key())
    while ((await hub.store.eraser.undone()).length > 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await hub.store.prisma.image.count()).toBe(0)
    expect(await hub.store.prisma.imagePart.count()).toBe(0)
  })

  it('[IMG-1.11] there is an end to what one person uploads and does not send', async () => {
    const imageId = await upload()
    const unsent = { imageId, usedAt: null }
    await hub.store.prisma.image.update({ where: { imageId }, data: { bytes: 20 * IMAGE_LIMIT_BYTES } })
    expect(await refusalOf(somePng())).toBe('IMAGES_FULL')
    await hub.store.prisma.image.update({ where: unsent, data: { usedAt: new Date() } })
    expect(await refusalOf(somePng())).toBeUndefined()
  })

  it('[VIEW-8.4] a prompt is said by who sent it, with just these images', async () => {
    const imageId = await upload()
    const { json } = await prompt([imageId], 'p1')
    const image = { imageId, mediaType: 'image/png' as const, bytes: 100, redacted: false as const }
    const { sha256 } = (await hub.store.prisma.image.findUnique({ where: { imageId } })) ?? { sha256: '' }
    const commandId = String(json.commandId)
    const said = { kind: 'user_message' as const, commandId, promptId: 'p1', text: 'look' }
    await agent.emit(sessionId, text('before'), { ...said, images: [{ ...image, sha256: '0'.repeat(64) }] })
    await agent.emit(sessionId, { ...said, images: [{ ...image, sha256 }] })
    const { events } = await hub.core.sessions.events(ana, sessionId, { limit: 10 })
    expect(events.slice(-2).map(({ doneBy }) => doneBy?.name)).toEqual([undefined, 'Ana'])
  })
})
