import { describe, expect, it } from 'vitest'
import { frame } from '../testing/builders'
import {
  applyFrame,
  applyText,
  blockTextLimit,
  closeBlocks,
  emptyBlocks,
  type LiveBlocks,
  lengthOf,
  openBlockLimit,
  withoutAnswer,
} from './live-blocks'

const write = (blocks: LiveBlocks, offset: number, text: string) => applyFrame(blocks, frame({ offset, text }))
const hello = write(emptyBlocks(), 0, 'hello').blocks
const textOf = (blocks: LiveBlocks) => blocks.open.map(({ text }) => text)

describe('live blocks', () => {
  it('[LOG-5.2] text grows by what follows', () => {
    expect(textOf(write(hello, 5, ' world').blocks)).toEqual(['hello world'])
  })

  it('[LOG-5.4] a doubled or overlapping frame adds only what is new', () => {
    expect(textOf(write(hello, 0, 'hello').blocks)).toEqual(['hello'])
    expect(textOf(write(hello, 2, 'llo!').blocks)).toEqual(['hello!'])
  })

  it('[LOG-5.10] a frame that leaves something out asks for it once, from where the text ends', () => {
    const lost = write(hello, 11, '!')
    expect(lost.ask).toEqual({ blockId: 'b', from: 5 })
    const again = write(lost.blocks, 12, '?')
    expect(again.ask).toBeNull()
    const answered = applyText(again.blocks, { blockId: 'b', from: 5, text: ' world!?' })
    expect(textOf(answered)).toEqual(['hello world!?'])
    expect(textOf(write(answered, 13, ' yes').blocks)).toEqual(['hello world!? yes'])
  })

  it('[LOG-5.10] a question that nobody answered is asked again by the next frame that does not fit', () => {
    const lost = write(hello, 11, '!').blocks
    const again = write(withoutAnswer(lost, 'b'), 12, '?')
    expect(again.ask).toEqual({ blockId: 'b', from: 5 })
    expect(textOf(applyText(again.blocks, { blockId: 'b', from: 5, text: ' world!?' }))).toEqual(['hello world!?'])
    expect(withoutAnswer(hello, 'b')).toBe(hello)
    expect(withoutAnswer(hello, 'gone')).toBe(hello)
  })

  it('[LOG-5.10] a block that is first seen in the middle is asked for from its beginning', () => {
    expect(write(emptyBlocks(), 7, 'x').ask).toEqual({ blockId: 'b', from: 0 })
  })

  it('[LOG-5.9] the answer may know only the end of a long block', () => {
    const blocks = applyText(write(emptyBlocks(), 900, 'x').blocks, { blockId: 'b', from: 600, text: 'the end' })
    expect(blocks.open[0]).toMatchObject({ from: 600, text: 'the end' })
    expect(applyText(emptyBlocks(), { blockId: 'gone', from: 0, text: 'x' })).toEqual(emptyBlocks())
  })

  it('[LOG-5.11] the finished event takes the block away, and its late frames are dropped', () => {
    const closed = closeBlocks(hello, { kind: 'assistant_text', text: 'hello', blockId: 'b' }, 9)
    expect(closed.open).toEqual([])
    expect(write(closed, 5, ' late')).toEqual({ blocks: closed, ask: null })
  })

  it('[LOG-5.12] an abandoned attempt is taken back', () => {
    const { blocks } = applyFrame(hello, frame({ discarded: true }))
    expect(blocks.open).toEqual([])
    expect(write(blocks, 0, 'again').blocks.open).toEqual([])
  })

  it('[LOG-5] the progress of a tool ends with its result', () => {
    const { blocks } = applyFrame(emptyBlocks(), frame({ kind: 'tool_progress', callId: 'c', text: '50 %' }))
    expect(closeBlocks(blocks, { kind: 'tool_result', callId: 'c', output: '' }, 9).open).toEqual([])
  })

  it('[LOG-5.8] with the turn end all blocks that began before it, and their late frames', () => {
    const closed = closeBlocks(hello, { kind: 'turn_completed', turnId: 't', reason: 'completed' }, 9)
    expect(closed.open).toEqual([])
    expect(applyFrame(closed, frame({ blockId: 'never seen', afterSeq: 8, text: 'x' })).blocks.open).toEqual([])
    expect(applyFrame(closed, frame({ blockId: 'next turn', afterSeq: 9, text: 'x' })).blocks.open).toHaveLength(1)
  })

  it('[LOG-7.15] [LOG-7.16] what a helper writes outlives the turn, and ends by its own event or with the process', () => {
    const helper = { blockId: 'h', parentCallId: 'call' }
    const written = applyFrame(hello, frame({ ...helper, text: 'I look' })).blocks
    const after = closeBlocks(written, { kind: 'turn_completed', turnId: 't', reason: 'completed' }, 9)
    expect(textOf(after)).toEqual(['I look'])
    expect(textOf(applyFrame(after, frame({ ...helper, offset: 6, text: ' on' })).blocks)).toEqual(['I look on'])
    const ended = closeBlocks(
      after,
      { kind: 'assistant_text', text: 'I look on', blockId: 'h', parentCallId: 'call' },
      10,
    )
    expect(ended.open).toEqual([])
    expect(applyFrame(ended, frame({ ...helper, offset: 6, text: ' on' })).blocks.open).toEqual([])
    const exit = {
      kind: 'process_exited',
      procId: 'p',
      code: 1,
      signal: null,
      stderrTail: '',
      cause: 'crashed',
    } as const
    const gone = closeBlocks(after, exit, 11)
    expect(gone.open).toEqual([])
    expect(applyFrame(gone, frame({ ...helper, blockId: 'late', afterSeq: 9, text: 'x' })).blocks.open).toEqual([])
  })

  it('[LOG-7] what a command in the background tells outlives the turns, and ends with the process', () => {
    const command = { blockId: 'o', kind: 'tool_progress', callId: 'call', turnId: undefined } as const
    const told = applyFrame(hello, frame({ ...command, text: 'one' })).blocks
    const after = closeBlocks(told, { kind: 'turn_completed', turnId: 't', reason: 'completed' }, 9)
    expect(textOf(after)).toEqual(['one'])
    const next = { ...command, blockId: 'o2', afterSeq: 8, text: 'two' }
    expect(textOf(applyFrame(after, frame(next)).blocks)).toEqual(['one', 'two'])
    const ofTurn = applyFrame(after, frame({ ...next, turnId: 't' })).blocks
    expect(textOf(ofTurn)).toEqual(['one'])
    expect(closeBlocks(after, { kind: 'session_ended', why: 'stopped' }, 10).open).toEqual([])
  })

  it('[LOG-5.16] what a command in the background tells may come before the answer of its call, and ends with its end', () => {
    const command = { blockId: 'o', kind: 'tool_progress', callId: 'call', turnId: undefined, afterSeq: 9 } as const
    const told = applyFrame(emptyBlocks(), frame({ ...command, text: 'one' })).blocks
    const answered = closeBlocks(told, { kind: 'tool_result', callId: 'call', output: '' }, 9)
    expect(textOf(applyFrame(answered, frame({ ...command, offset: 3, text: ' two' })).blocks)).toEqual(['one two'])
    for (const subtype of ['background_finished', 'background_ended']) {
      const ended = (callId: string) => closeBlocks(answered, { kind: 'system', subtype, data: { callId } }, 10)
      expect(ended('call').open).toEqual([])
      expect(textOf(ended('other'))).toEqual(['one'])
    }
  })

  it('[I9] of a long block only the end is kept, and of many blocks the latest', () => {
    const { blocks } = write(hello, 5, 'x'.repeat(blockTextLimit))
    const block = blocks.open[0]
    expect(block && [block.from, block.text.length, lengthOf(block)]).toEqual([5, blockTextLimit, blockTextLimit + 5])
    let many = emptyBlocks()
    for (let n = 0; n < 100; n += 1) many = applyFrame(many, frame({ blockId: `b${n}`, text: 'x' })).blocks
    expect([many.open.length, many.open.at(-1)?.blockId]).toEqual([openBlockLimit, 'b99'])
  })
})
