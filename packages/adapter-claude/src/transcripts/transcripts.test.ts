import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Frame } from '../wire/frames'
import { listConversations, readConversation, transcriptReader } from './transcripts'

const ONE = '11111111-1111-4111-8111-111111111111'
const TWO = '22222222-2222-4222-8222-222222222222'
const person = (content: unknown, more: Frame = {}): Frame => ({
  type: 'user',
  cwd: '/code',
  message: { role: 'user', content },
  ...more,
})
const text = (value: string) => [{ type: 'text', text: value }]
const answer = (content: Frame[], more: Frame = {}): Frame => ({
  type: 'assistant',
  message: { id: 'm', content },
  ...more,
})

let home = ''
const write = async (folder: string, name: string, lines: Array<Frame | string>, at: number) => {
  const dir = join(home, '.claude', 'projects', folder)
  await mkdir(dir, { recursive: true })
  const body = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  await writeFile(join(dir, name), `${body}\n`)
  await utimes(join(dir, name), at, at)
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'claude-transcripts-'))
  await write(
    '-work',
    `${ONE}.jsonl`,
    [
      { type: 'queue-operation' },
      person(text('Fix the build')),
      'no JSON',
      answer([{ type: 'thinking', thinking: 'Hm.' }]),
      answer([...text('Looking.'), { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'make' } }]),
      person([{ type: 'tool_result', tool_use_id: 'c1', content: 'ok', is_error: false }], {
        toolUseResult: { stdout: 'ok' },
      }),
      answer(text('Sub.'), { isSidechain: true }),
      person('<local-command-caveat>x</local-command-caveat>', { isMeta: true }),
      person(text('[Request interrupted by user]')),
      { type: 'last-prompt', lastPrompt: 'Fix the build' },
      { type: 'cost-state', totalCostUSD: 1 },
    ],
    1000,
  )
  const long = answer(text('x'.repeat(300_000)))
  await write(
    '-else',
    `${TWO}.jsonl`,
    [
      person('Hello'),
      long,
      { type: 'custom-title', customTitle: 'My title' },
      { type: 'last-prompt', lastPrompt: 'Hello' },
    ],
    2000,
  )
  await write('-else', 'agent-1.jsonl', [person('not a conversation')], 3000)
  await write('-empty', '33333333-3333-4333-8333-333333333333.jsonl', [{ type: 'mode' }], 4000)
})
afterAll(() => rm(home, { recursive: true, force: true }))

describe('listConversations', () => {
  it('tells folder, title and time, the newest first, and leaves out what nobody used', async () => {
    expect(await listConversations({ HOME: home })).toEqual([
      { backendSessionId: TWO, workDir: '/code', title: 'My title', updatedAt: 2_000_000 },
      { backendSessionId: ONE, workDir: '/code', title: 'Fix the build', updatedAt: 1_000_000 },
    ])
    expect(await listConversations({ CLAUDE_CONFIG_DIR: join(home, '.claude') })).toHaveLength(2)
  })

  it('is empty where there is nothing', async () => {
    expect(await listConversations({})).toEqual([])
    expect(await listConversations({ HOME: join(home, 'none') })).toEqual([])
  })
})

describe('readConversation', () => {
  it('reads prompts, answers and calls as they would have been told', async () => {
    expect(await readConversation({ HOME: home }, ONE)).toEqual([
      { kind: 'system', subtype: 'user_message', data: { text: 'Fix the build' } },
      { kind: 'thinking', text: 'Hm.' },
      { kind: 'assistant_text', text: 'Looking.' },
      { kind: 'tool_use', toolName: 'Bash', input: { command: 'make' }, callId: 'c1' },
      { kind: 'tool_result', callId: 'c1', output: 'ok' },
    ])
  })

  it('an id that is unknown, or no id at all, is RESUME_UNAVAILABLE', async () => {
    for (const id of ['44444444-4444-4444-8444-444444444444', '../-work/secret', '']) {
      await expect(readConversation({ HOME: home }, id)).rejects.toEqual(
        expect.objectContaining({ code: 'RESUME_UNAVAILABLE' }),
      )
    }
  })
})

describe('transcriptReader', () => {
  it('does not take a summary of an earlier part for a prompt', () => {
    expect(transcriptReader()(person('This session is being continued', { isCompactSummary: true }))).toEqual([])
  })

  it('[RES-9] reads a prompt of images alone as one, and tells how many came with a prompt', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }
    const read = (...content: object[]) =>
      transcriptReader()({ type: 'user', message: { role: 'user', content: [image, ...content] } })
    const said = (data: object) => [{ kind: 'system', subtype: 'user_message', data }]
    expect(read()).toEqual(said({ text: '[Image]', images: 1 }))
    expect(read(image, { type: 'text', text: 'What?' })).toEqual(said({ text: 'What?', images: 2 }))
  })
})
