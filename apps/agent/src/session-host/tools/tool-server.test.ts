/** Whoever comes to the socket of a session's tools without being its program gets a code, and the host lives. */
import { mkdirSync, statSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proofOf } from '../../host-contract/proof'
import { heldBack } from '../../testing/held-back'
import { saidTo, ToolWorld } from '../../testing/tool-world'
import { ToolClient } from '../../tool-contract/client'
import { ToolServer } from './tool-server'

let tools: ToolWorld
beforeAll(async () => {
  tools = await ToolWorld.create()
  await tools.inTurn()
})
afterAll(() => tools.dispose())

const codesIn = (said: string) =>
  said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).error?.code)
const nonce = 'a'.repeat(32)

const published = () => tools.world.of('published').length

/** Its own program is heard as before. */
async function stillListens(): Promise<void> {
  const before = published()
  await tools.call('publish_event', { kind: 'LOG', message: 'Still here.' })
  expect(published()).toBe(before + 1)
}

describe('a stranger at the socket of a session', () => {
  it('[TOOL-1.4] gets a code for whatever it sends, and nothing reaches the session', async () => {
    const cases: Array<[string, Array<string | undefined>]> = [
      ['GET / HTTP/1.1\r\n\r\n', ['MALFORMED_FRAME']],
      ['{"nonce":5}\n', ['MALFORMED_FRAME']],
      ['{"type":"call","id":1,"callId":"c","tool":"complete","input":{}}\n', ['MALFORMED_FRAME']],
      [`{"nonce":"${nonce}"}\n{"proof":"${'0'.repeat(64)}"}\n`, [undefined, 'AUTH_FAILED']],
      ['x'.repeat(10 * 1024 * 1024), ['FRAME_TOO_LARGE']],
      [`${'x'.repeat(1000)}\n`.repeat(10_000), ['MALFORMED_FRAME']],
      ['\0'.repeat(1000).concat('\n'), ['MALFORMED_FRAME']],
      [`${'['.repeat(100_000)}\n`, ['MALFORMED_FRAME']],
    ]
    const before = published()
    for (const [bytes, codes] of cases)
      expect(codesIn(await saidTo(tools.socketPath, bytes)), bytes.slice(0, 40)).toEqual(codes)
    expect(published()).toBe(before)
    await stillListens()
  })

  it('[TOOL-1.2] with the key of another session is refused, and learns nothing of this one', async () => {
    const other = { socketPath: tools.socketPath, key: 'f'.repeat(64) }
    await expect(ToolClient.connect(other)).rejects.toMatchObject({ code: 'AUTH_FAILED' })
    const said = await saidTo(tools.socketPath, `{"nonce":"${nonce}"}\n{"proof":"${'1'.repeat(64)}"}\n`)
    expect(said).not.toContain(tools.place().key)
    await stillListens()
  })
})

describe('a program of the session', () => {
  it('[TOOL-1.2] does not believe whoever listens in the place of its host, and does not tell the key', async () => {
    const folder = join(dirname(tools.socketPath), 'fake')
    mkdirSync(folder)
    const socketPath = join(folder, 's.tool')
    let heard = ''
    const fake: Server = createServer((socket) => {
      socket.on('data', (chunk) => {
        heard += chunk
        socket.write(`${JSON.stringify({ nonce, proof: '0'.repeat(64) })}\n`)
      })
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => fake.listen(socketPath, resolve))
    const { key } = tools.place()
    await expect(ToolClient.connect({ socketPath, key })).rejects.toMatchObject({ code: 'AUTH_FAILED' })
    expect(heard).not.toContain(key)
    fake.close()
  })

  it('that sends nonsense behind its proof gets a code and is gone, and others are heard', async () => {
    const before = published()
    const [one, other] = [await tools.client(), await tools.client()]
    const bad = one.call({ callId: '../..', tool: 'complete', input: {} })
    await expect(bad).rejects.toMatchObject({ code: 'MALFORMED_FRAME' })
    await other.call({ callId: 'c-1', tool: 'publish_event', input: { kind: 'LOG', message: 'Heard.' } })
    expect(published()).toBe(before + 1)
  })

  it('[TOOL-1.1] has a socket that nobody but its user can open', () => {
    expect(statSync(dirname(tools.socketPath)).mode & 0o777).toBe(0o700)
    expect(statSync(tools.socketPath).mode & 0o077).toBe(0)
  })
})

describe('a caller of the session', () => {
  // The callers before it stay.
  beforeAll(async () => {
    await tools.dispose()
    tools = await ToolWorld.create()
    await tools.inTurn()
  })

  it('is one of many: at so many callers the next one is told so, and they are heard', async () => {
    const before = published()
    const callers = await Promise.all(Array.from({ length: 32 }, () => tools.client()))
    expect(codesIn(await saidTo(tools.socketPath, ''))).toEqual(['RATE_LIMITED'])
    await callers[1]?.call({ callId: 'c-many', tool: 'publish_event', input: { kind: 'LOG', message: 'Heard.' } })
    expect(published()).toBe(before + 1)
  })

  it('[TOOL-1.5] that does not read its answers is not read from any more until it does', async () => {
    const [calls, answer] = [20_000, 'x'.repeat(2_000)]
    let answered = 0
    const at = { socketPath: join(dirname(tools.socketPath), 'deaf.tool'), key: 'a'.repeat(64) }
    const server = new ToolServer(at, async () => {
      answered++
      return answer
    })
    await server.listen()
    const isHeldBack = heldBack()
    const socket = connect(at.socketPath)
    let lines = 0
    const greeted = new Promise<string>((resolve) => socket.once('data', (said) => resolve(String(said))))
    socket.write(`${JSON.stringify({ nonce })}\n`)
    const challenge = JSON.parse(await greeted) as { nonce: string }
    socket.pause()
    socket.write(`${JSON.stringify({ proof: proofOf(at.key, 'program', [nonce, challenge.nonce]) })}\n`)
    for (let id = 1; id <= calls; id++)
      socket.write(`${JSON.stringify({ type: 'call', id, callId: `c${id}`, tool: 'x'.repeat(60), input: {} })}\n`)
    await isHeldBack
    const other = await ToolClient.connect(at)
    for (let i = 0; i < 100; i++) await other.call({ callId: `aside-${i}`, tool: 'x', input: {} })
    other.close()
    answered -= 100
    expect(socket.writableLength).toBeGreaterThan(0)
    expect(answered).toBeLessThan(calls / 2)
    socket.resume().on('data', (said) => {
      lines += String(said).split('\n').length - 1
    })
    await expect.poll(() => lines, { timeout: 30_000 }).toBe(calls)
    socket.destroy()
    await server.close()
  })
})
