// Images of the first prompt of a new session: uploaded before the session exists, bound to it by the request that creates it.
import { type CommandBody, IMAGE_LIMIT_BYTES, type ImageChunk } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Actor } from '../core'
import type { FakeAgent } from '../testing/fake-agent'
import { World } from '../testing/route-deeds'
import { liveSession } from '../testing/scenario'
import { letTakeImages, somePng } from '../testing/some-images'
import { ana, ben, TestHub, vic } from '../testing/test-hub'

const DAY_MS = 24 * 3_600_000

describe('an image of a first prompt', () => {
  let hub: TestHub
  let world: World
  let agent: FakeAgent
  let now = 1_700_000_000_000
  beforeEach(async () => {
    hub = await TestHub.start({ now: () => now })
    world = new World(hub)
    agent = await hub.connectedAgent()
    await letTakeImages(hub, agent.agentId)
  })
  afterEach(() => hub.stop())

  const as = (actor: Actor) => {
    world.login = { actor, loginId: 'l', email: 'x@example.com' }
  }
  const settings = { backend: 'scripted', workDir: '/code/demo' }
  const create = (images: string[], more: object = { prompt: 'look' }) =>
    world.ask('POST', '/sessions', { agentId: agent.agentId, settings, images, ...more })
  const upload = async (bytes = somePng()) => String((await world.send('POST', '/images', bytes)).imageId)
  type Answer = Awaited<ReturnType<typeof create>>
  const codeOf = ({ json }: Answer) => (json.error as { code: string } | undefined)?.code
  const messageOf = ({ json }: Answer) => (json.error as { message: string } | undefined)?.message
  const refusalOf = async (bytes: Uint8Array) => codeOf(await world.ask('POST', '/images', bytes))
  const commandsOf = async ({ json }: Answer) => {
    const rows = await hub.store.prisma.command.findMany({
      where: { sessionId: String(json.sessionId) },
      orderBy: { cmdSeq: 'asc' },
    })
    return rows.map(({ body, ...row }) => ({ ...row, body: JSON.parse(body) as CommandBody }))
  }
  const nothingBegan = async () => {
    expect(await hub.store.prisma.session.count()).toBe(0)
    expect(await hub.store.prisma.command.count()).toBe(0)
    expect(await hub.store.prisma.image.count({ where: { usedAt: { not: null } } })).toBe(0)
  }

  it('[IMG-3.4] [IMG-3.5] goes with the prompt behind the creation, and is a part of the session from then on', async () => {
    const images = [await upload(), await upload(somePng(100, 2))]
    const made = await create(images)
    const sessionId = String(made.json.sessionId)
    const [created, prompt] = await commandsOf(made)
    expect(created).toMatchObject({ commandId: made.json.commandId, cmdSeq: 1, body: { kind: 'session.create' } })
    expect(created?.body).not.toHaveProperty('prompt')
    const body = { kind: 'prompt.send', text: 'look', images: images.map((imageId) => ({ imageId })) }
    // On a machine that is away both wait equally long.
    expect(prompt).toMatchObject({ cmdSeq: 2, body, expiresAt: created?.expiresAt })
    expect((await hub.core.sessions.snapshot(ana, sessionId)).session.title).toBe('look')
    await agent.waiter.until(() => agent.commands.some(({ body }) => body.kind === 'prompt.send'))
    const chunk = await agent.ask<ImageChunk>('image', { sessionId, imageId: images[0], from: 0 })
    expect(chunk).toMatchObject({ ok: true, data: Buffer.from(somePng()).toString('base64') })
    as(vic)
    const read = await world.api.request(`http://hub/api/v1/sessions/${sessionId}/images/${images[1]}`)
    expect(new Uint8Array(await read.arrayBuffer())).toEqual(somePng(100, 2))
    as(ana)
    const again = { promptId: 'p_again', text: 'again', images }
    expect((await world.ask('POST', `/sessions/${sessionId}/prompts`, again)).ok).toBe(true)
  })

  it('[IMG-3.1] is the whole prompt where the program takes that', async () => {
    const made = await create([await upload()], {})
    expect((await commandsOf(made))[1]?.body).toMatchObject({ kind: 'prompt.send', text: '' })
    expect((await hub.core.sessions.snapshot(ana, String(made.json.sessionId))).session.title).toBe('demo')
    await letTakeImages(hub, agent.agentId, false)
    expect(codeOf(await create([await upload()], {}))).toBe('UNSUPPORTED')
    expect((await create([await upload()])).ok).toBe(true)
  })

  it('[IMG-3.8] [IMG-3.7] is told from what is none, has 5 MB at most, and comes with nine others at most; nothing begins otherwise', async () => {
    expect(await refusalOf(new Uint8Array(Buffer.from('<svg/>')))).toBe('IMAGE_INVALID')
    expect(await refusalOf(new Uint8Array())).toBe('IMAGE_INVALID')
    expect(await refusalOf(somePng(IMAGE_LIMIT_BYTES + 1))).toBe('IMAGE_TOO_LARGE')
    const images = []
    for (let i = 0; i < 11; i++) images.push(await upload(somePng(100, i)))
    expect(codeOf(await create(images))).toBe('TOO_MANY_IMAGES')
    expect(codeOf(await create([]))).toBe('INVALID_ARGUMENT')
    expect(codeOf(await create([...images.slice(0, 2), 'img_none']))).toBe('IMAGE_NOT_FOUND')
    await nothingBegan()
    expect((await create(images.slice(1))).ok).toBe(true)
  })

  it('[IMG-3.2] is its sender’s alone, for one new session, and for no session that is there already', async () => {
    const [mine, other] = [await upload(), await upload(somePng(100, 2))]
    as(ben)
    expect(codeOf(await create([mine]))).toBe('IMAGE_NOT_FOUND')
    await nothingBegan()
    as(ana)
    const both = await Promise.all([create([mine, other]), create([other])])
    expect(both.map(({ ok }) => ok).sort()).toEqual([false, true])
    expect(both.map(codeOf)).toContain('IMAGE_NOT_FOUND')
    expect(await hub.store.prisma.session.count()).toBe(1)
    const sessionId = await liveSession(hub, agent)
    const fresh = await upload(somePng(100, 3))
    const prompt = { promptId: 'p1', text: 'look', images: [fresh] }
    expect(codeOf(await world.ask('POST', `/sessions/${sessionId}/prompts`, prompt))).toBe('IMAGE_NOT_FOUND')
    const ofSession = await world.send('POST', `/sessions/${sessionId}/images`, somePng(100, 4))
    expect(codeOf(await create([String(ofSession.imageId)]))).toBe('IMAGE_NOT_FOUND')
  })

  it('[IMG-3.2] is uploaded by whoever may create a session, and goes to a program that takes images', async () => {
    as(vic)
    expect(await refusalOf(somePng())).toBe('FORBIDDEN')
    as({ ...ben, agents: new Set() })
    expect(codeOf(await create([await upload()]))).toBe('FORBIDDEN')
    as(ana)
    const image = await upload()
    const other = await hub.connectedAgent('old')
    const toOther = () => create([image], { agentId: other.agentId, prompt: 'look' })
    const unsaid = await toOther()
    expect([codeOf(unsaid), messageOf(unsaid)]).toEqual(['UNSUPPORTED', expect.stringContaining('has not said yet')])
    await hub.store.prisma.agent.update({
      where: { agentId: other.agentId },
      data: { manifest: JSON.stringify({ backends: [{ kind: 'scripted', capabilities: {} }] }) },
    })
    const older = await toOther()
    expect([codeOf(older), messageOf(older)]).toEqual(['UNSUPPORTED', expect.stringContaining('takes no images')])
    await nothingBegan()
    expect((await create([image])).ok).toBe(true)
  })

  it('[CMD-1.3] a creation that is repeated binds its images once', async () => {
    const images = [await upload()]
    const body = { agentId: agent.agentId, settings, images, prompt: 'look' }
    const first = await hub.core.sessions.create(ana, body, 'the-same-key')
    expect(await hub.core.sessions.create(ana, body, 'the-same-key')).toEqual(first)
    expect(await hub.store.prisma.session.count()).toBe(1)
    expect(codeOf(await create(images))).toBe('IMAGE_NOT_FOUND')
  })

  it('[IMG-3.8] one that no session was created with goes after a day, and one of a deleted session with it', async () => {
    const [kept, left] = [await upload(), await upload(somePng(100, 2))]
    const made = await create([kept])
    now += DAY_MS + 3_600_000
    await hub.core.tick()
    await hub.core.tick()
    expect(await hub.store.prisma.imagePart.findMany({ select: { imageId: true } })).toEqual([{ imageId: kept }])
    expect(codeOf(await create([left]))).toBe('IMAGE_NOT_FOUND')
    await hub.core.sessions.remove(ana, String(made.json.sessionId), hub.key())
    while ((await hub.store.eraser.undone()).length > 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await hub.store.prisma.image.count()).toBe(0)
    expect(await hub.store.prisma.imagePart.count()).toBe(0)
  })

  it('[IMG-1.11] one person has 200 images that no prompt brings, and 100 MB, at most', async () => {
    const row = { userId: ana.userId, mediaType: 'image/png', sha256: 'x', createdAt: new Date(now) }
    const rows = Array.from({ length: 199 }, (_, i) => ({ ...row, imageId: `img_${i}`, bytes: 100 }))
    await hub.store.prisma.image.createMany({ data: rows })
    const last = await upload()
    expect(await refusalOf(somePng())).toBe('IMAGES_FULL')
    expect((await create([last])).ok).toBe(true)
    await hub.store.prisma.image.update({ where: { imageId: 'img_1' }, data: { bytes: 20 * IMAGE_LIMIT_BYTES } })
    expect(await refusalOf(somePng())).toBe('IMAGES_FULL')
    as(ben)
    expect(await refusalOf(somePng())).toBeUndefined()
  })

  it('the audit log tells of the upload, and how many images a session was created with', async () => {
    const imageId = await upload()
    const [uploaded] = (await hub.core.auditLog.page(ana, { limit: 1 })).items
    expect(uploaded).toMatchObject({ action: 'image.upload', object: imageId })
    await create([imageId])
    const [created] = (await hub.core.auditLog.page(ana, { limit: 1 })).items
    expect(created?.action).toBe('session.create')
    expect(JSON.parse(created?.detail ?? '')).toMatchObject({ images: 1, promptDigest: expect.any(String) })
  })
})
