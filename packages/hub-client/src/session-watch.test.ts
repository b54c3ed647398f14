import { CodedError, type LiveFrame, type Snapshot } from '@roundhouse/backend-types'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { HubRest } from './rest'
import { SessionWatch } from './session-watch'
import type { ViewerSocket } from './viewer-socket'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const frame = (blockId: string, offset: number, text: string): LiveFrame => ({
  sessionId: 's',
  procId: 'p',
  blockId,
  kind: 'assistant_text',
  afterSeq: 0,
  offset,
  text,
})

/** A page of an empty session, whose hub answers questions for blocks as it is told. */
async function page(answer: (ask: { blockId: string; from: number }) => Promise<{ from: number; text: string }>) {
  const heard = new Map<string, (batch: { sessionId: string; frames: LiveFrame[] }) => void>()
  const asked: Array<{ blockId: string; from: number }> = []
  const socket = {
    state: { state: 'live' },
    on: (event: string, listener: never) => {
      heard.set(event, listener)
      return () => {}
    },
    onState: () => () => {},
    ask: async (event: string, { blockId, from }: { blockId: string; from: number }) => {
      if (event !== 'block.get') return { head: 0, hubEpoch: 'e' }
      asked.push({ blockId, from })
      return answer({ blockId, from })
    },
  }
  const snapshot = { hubEpoch: 'e', head: 0, session: { rev: 1, sessionId: 's' }, events: [], openBlocks: [] }
  const rest = { snapshot: async () => snapshot as unknown as Snapshot }
  let shown: string[] = []
  const watch = new SessionWatch('s', rest as unknown as HubRest, socket as unknown as ViewerSocket, {
    onReset: () => {},
    onEvents: () => {},
    onSession: () => {},
    onBlocks: ({ open }) => {
      shown = open.map(({ text }) => text)
    },
    onRefused: () => {},
  })
  await vi.advanceTimersByTimeAsync(0)
  const live = async (...frames: LiveFrame[]) => {
    heard.get('live')?.({ sessionId: 's', frames })
    await vi.advanceTimersByTimeAsync(0)
  }
  return { live, asked, shown: () => shown, close: () => watch.close() }
}

it('[LOG-5.10] a page whose question for the text of a block failed asks again, and the block goes on', async () => {
  let fails = true
  const { live, asked, shown, close } = await page(async () => {
    if (fails) throw new CodedError('QUESTION_TIMEOUT')
    return { from: 0, text: 'hello world!' }
  })
  await live(frame('b', 0, 'hello'), frame('b', 11, '!'))
  await live(frame('b', 12, '?'))
  expect(asked).toHaveLength(1)
  fails = false
  await vi.advanceTimersByTimeAsync(1_000)
  await live(frame('b', 12, '?'))
  await live(frame('b', 12, '?'))
  expect(shown()).toEqual(['hello world!?'])
  close()
})

it('[LOG-5.10] frames of several blocks that lost something ask for each of them', async () => {
  const { live, asked, shown, close } = await page(async ({ blockId }) => ({ from: 0, text: `all of ${blockId}` }))
  await live(frame('a', 9, 'x'), frame('b', 9, 'x'))
  expect(asked.map(({ blockId }) => blockId)).toEqual(['a', 'b'])
  expect(shown()).toEqual(['all of a', 'all of b'])
  close()
})
