/** Whatever is said to the hub: each frame is smaller than what the hub closes the link for, and what is left out is said. */
import {
  type AgentManifestPayload,
  type Capabilities,
  Hello,
  HostState,
  type LiveFrame,
  linkLimits,
  MANIFEST_BYTES,
  type PermissionAsk,
  type Question,
  type QuestionAnswer,
  type QuestionKind,
} from '@roundhouse/backend-types'
import { applyFrame, applyText, emptyBlocks, jsonBytes, lengthOf } from '@roundhouse/delivery'
import { describe, expect, it } from 'vitest'
import type { AgentSocket } from './agent-socket'
import { Outlet } from './outlet'

const MIB = 1_048_576

const replies: Record<string, object> = {
  hello: { protocol: 1 },
  sessions: { verdicts: [] },
  events: { acked: 0 },
  image: { data: 'QUJD' },
}

/** A socket that keeps what it would send, as the library writes it. */
function wire() {
  const frames: Array<{ kind: string; body: unknown; bytes: number }> = []
  const lines: string[] = []
  const keep = (kind: string, body: unknown) =>
    void frames.push({
      kind,
      body,
      bytes: Buffer.byteLength(`42/agent,9007199254740991${JSON.stringify([kind, body])}`),
    })
  const socket = {
    connected: true,
    emit: keep,
    emitWithAck: async (kind: string, body: unknown) => {
      keep(kind, body)
      return { ok: true, ...replies[kind] }
    },
  } as unknown as AgentSocket
  const outlet = new Outlet(socket, (line) => lines.push(line))
  const answer = async (question: Question, value: unknown) => {
    await outlet.answerQuestion(
      (reply: unknown) => keep('reply', reply),
      () => question,
      async () => value as QuestionAnswer<QuestionKind>,
    )
    return (frames.at(-1)?.body as { answer: unknown } | undefined)?.answer
  }
  const largest = () => Math.max(0, ...frames.map(({ bytes }) => bytes))
  return { outlet, frames, lines, answer, largest }
}

/** A character of each length in JSON, and halves of one. */
const signs = ['x', '\u0001', '…', '😀\udc00']
const filled = (sign: string, units: number) => sign.repeat(Math.ceil(units / sign.length))

const live = (text: string, block = 'b', offset = 0): LiveFrame => ({
  sessionId: 's1',
  procId: 'p1',
  blockId: block,
  kind: 'assistant_text',
  afterSeq: 1,
  offset,
  text,
})
const choice = (n: number, sign: string) => ({
  code: `m${n}`,
  label: filled(sign, 300),
  description: filled(sign, 900),
})
const manifest = (models: number, sign: string): AgentManifestPayload => ({
  manifestVersion: 1,
  generatedAt: '2026-01-01T00:00:00Z',
  backends: ['scripted', 'claude', 'codex'].map((kind) => ({
    kind,
    label: kind,
    installed: true,
    version: filled(sign, 20_000),
    models: Array.from({ length: models }, (_, n) => ({ ...choice(n, sign), default: n === models - 1 })),
    modes: Array.from({ length: models }, (_, n) => choice(n, sign)),
    sandboxes: [],
    capabilities: { humanLabel: kind } as Capabilities,
  })),
})
const state = (sign: string): HostState => ({
  sessionId: 's1',
  leaseToken: 1,
  rev: 1,
  atSeq: 1,
  status: { status: 'resumable', why: 'process_exited', error: { code: 'C', message: filled(sign, 300_000) } },
  queue: Array.from({ length: 200 }, (_, n) => ({
    promptId: `p${n}`,
    commandId: `c${n}`,
    rev: 0,
    text: filled(sign, 3_000),
  })),
  queueHeld: false,
  requests: Array.from({ length: 60 }, () => ({ input: filled(sign, 9_000) }) as unknown as PermissionAsk),
  openBlocks: Array.from({ length: 64 }, (_, n) => ({
    blockId: `${n}`.padEnd(256, sign).slice(0, 256),
    procId: 'p',
    kind: 'thinking',
    afterSeq: 0,
    length: 1,
  })),
  background: Array.from({ length: 64 }, () => ({
    taskId: filled(sign, 200),
    kind: 'command',
    label: filled(sign, 9_000),
    canStop: true,
    startedAt: 1,
  })),
})
const hello = (sign: string) => ({
  software: 's',
  protocol: [1],
  policyDigest: 'd',
  chain: '',
  now: 1,
  manifest: manifest(600, sign),
  host: { name: filled(sign, 400), platform: 'p', arch: 'a' },
  policy: {
    roots: Array.from({ length: 120 }, () => filled(sign, 4_096)),
    maxSandbox: 'm',
    summary: filled(sign, 300_000),
  },
})
const error = (sign: string) => ({
  code: 'C',
  message: filled(sign, 300_000),
  retryable: false,
  details: { path: filled(sign, 300_000) },
})

describe.each(signs.map((sign) => [JSON.stringify(sign), sign]))(
  '[FLOW-8] [LINK-5] what is full of %s',
  (_name, sign) => {
    it('is said in frames that the hub takes: live text, accounts, hello, manifest, news', async () => {
      const { outlet, frames, lines, largest } = wire()
      outlet.emit('live', {
        frames: [
          live(filled(sign, 700_000)),
          ...Array.from({ length: 600 }, (_, n) => live(filled(sign, 900), `b${n}`)),
        ],
      })
      outlet.emit('state', state(sign))
      outlet.emit('manifest', { manifest: manifest(600, sign) })
      await outlet.ask('hello', hello(sign))
      await outlet.ask('command', { commandId: 'c', sessionId: 's1', answer: { state: 'refused', error: error(sign) } })
      expect(largest()).toBeLessThanOrEqual(linkLimits.frameBytes)
      expect(new Set(frames.map(({ kind }) => kind))).toEqual(
        new Set(['live', 'state', 'manifest', 'hello', 'command']),
      )
      expect(lines).toEqual([])
      const told = (kind: string) => frames.find((frame) => frame.kind === kind)?.body
      expect(HostState.omit({ requests: true }).safeParse(told('state')).error).toBeUndefined()
      expect(Hello.pick({ host: true, policy: true }).safeParse(told('hello')).error).toBeUndefined()
      for (const { kind, body } of frames)
        if (kind === 'live') expect((body as { frames: unknown[] }).frames.length).toBeLessThanOrEqual(256)
    })

    it('is answered in frames that the hub takes: blocks, folders, commands, manifests, refusals', async () => {
      const { outlet, answer, frames, lines, largest } = wire()
      const text = filled(sign, 700_000)
      const block = await answer(
        { kind: 'block', sessionId: 's1', blockId: 'b', from: 0 },
        { text, length: text.length },
      )
      const folder = { name: filled(sign, 255), path: `/${filled(sign, 4_095)}` }
      const folders = await answer({ kind: 'folders' }, { path: '/', roots: ['/'], folders: Array(500).fill(folder) })
      const command = {
        name: filled(sign, 200),
        description: filled(sign, 400),
        aliases: Array(16).fill(filled(sign, 200)),
      }
      const commands = await answer({ kind: 'commands', sessionId: 's1' }, { commands: Array(400).fill(command) })
      await answer({ kind: 'manifest' }, { manifest: manifest(600, sign) })
      await outlet.answerCommand(
        () => {},
        () => 's1',
        async () => ({ state: 'refused', error: error(sign) }),
      )
      expect(largest()).toBeLessThanOrEqual(linkLimits.frameBytes)
      expect(lines).toEqual([])
      expect(frames).toHaveLength(4)
      expect(block).toMatchObject({ length: text.length, text: expect.stringMatching(/./u) })
      expect(text.endsWith((block as { text: string }).text)).toBe(true)
      expect(folders).toMatchObject({ complete: false })
      expect((folders as { folders: unknown[] }).folders.length).toBeGreaterThan(10)
      expect(commands).toMatchObject({ complete: false })
    })
  },
)

describe('[FLOW-8.3] [LOG-5] live text that is split', () => {
  it('is put together again, or its end is asked for and found', () => {
    const { outlet, frames } = wire()
    const begin = 'Begun. '
    const text = Array.from({ length: 90_000 }, (_, n) => `${n} ß "😀\u0002`).join('')
    outlet.emit('live', { frames: [live(begin), live(text, 'b', begin.length)] })
    let blocks = emptyBlocks()
    let asked = 0
    for (const { body } of frames)
      for (const frame of (body as { frames: LiveFrame[] }).frames) {
        const step = applyFrame(blocks, frame)
        blocks = step.blocks
        if (!step.ask) continue
        asked += 1
        const whole = begin + text
        blocks = applyText(blocks, { blockId: 'b', from: whole.length - 50_000, text: whole.slice(-50_000) })
      }
    const [block] = blocks.open
    expect(asked).toBe(1)
    expect(block && lengthOf(block)).toBe(begin.length + text.length)
    expect(text.endsWith(block?.text ?? '-')).toBe(true)
  })

  it('is as it was where it is short', () => {
    const { outlet, frames } = wire()
    const told = [live('Hello '), live('you', 'c')]
    outlet.emit('live', { frames: told })
    expect(frames.map(({ body }) => body)).toEqual([{ frames: told }])
  })
})

describe('[FLOW-8.7] [BAD-4] a manifest of 5,000 models', () => {
  it('has at most 256 KiB, keeps the default, and says how many models it leaves out', () => {
    const { outlet, frames } = wire()
    outlet.emit('manifest', { manifest: manifest(5_000, 'ß') })
    const [frame] = frames
    if (!frame) throw new Error('nothing was sent')
    const { manifest: told } = frame.body as { manifest: AgentManifestPayload }
    expect(jsonBytes(told)).toBeLessThanOrEqual(MANIFEST_BYTES)
    for (const { models, modelsLeftOut = 0 } of told.backends) {
      expect(models.length).toBeGreaterThan(20)
      expect(models.length + modelsLeftOut).toBe(5_000)
      expect(models.at(-1)).toMatchObject({ code: 'm4999', default: true })
    }
  })
})

describe('[FLOW-8.10] a frame that nothing makes fit', () => {
  const batch = (sessionId: string) => ({ sessionId, logId: 'l', events: [{ body: 'x'.repeat(2 * MIB) }] }) as never

  it('is not sent, and the log names its kind, session and size once', async () => {
    const { outlet, frames, lines } = wire()
    for (const sessionId of ['s1', 's1', 's2'])
      await expect(outlet.ask('events', batch(sessionId))).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE' })
    expect(frames).toEqual([])
    const line = (sessionId: string) =>
      `FRAME_TOO_LARGE: not sent to the hub, which would close the link: events of ${sessionId}, 2097205 bytes`
    expect(lines).toEqual([line('s1'), line('s2')])
  })

  it('is a refusal where it is an answer', async () => {
    const { answer, frames, lines } = wire()
    await answer({ kind: 'files', sessionId: 's1', query: '' }, { files: ['x'.repeat(2 * MIB)], complete: true })
    expect(frames[0]?.body).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } })
    expect(lines[0]).toContain('answer to question of s1')
  })
})
