import type { LiveDelta } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { Frame } from '../wire/frames'
import { LiveBlocks } from './live-blocks'

const event = (event: Frame, more: Frame = {}): Frame => ({
  type: 'stream_event',
  event,
  parent_tool_use_id: null,
  ...more,
})
const start = (id: string, more?: Frame) => event({ type: 'message_start', message: { id } }, more)
const open = (index: number, type = 'text', more?: Frame) =>
  event({ type: 'content_block_start', index, content_block: { type } }, more)
const text = (index: number, value: string, more?: Frame) =>
  event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: value } }, more)
const thought = (index: number, value: string) =>
  event({ type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: value } })
const stop = (more?: Frame) => event({ type: 'message_stop' }, more)

function play(frames: Frame[], blocks = new LiveBlocks('p')): { blocks: LiveBlocks; live: LiveDelta[] } {
  return { blocks, live: frames.flatMap((frame) => blocks.stream(frame)) }
}
const delta = (blockId: string, value: string, kind: LiveDelta['kind'] = 'assistant_text') => ({
  blockId,
  kind,
  text: value,
})
const gone = (blockId: string, kind: LiveDelta['kind'] = 'assistant_text') => ({
  blockId,
  kind,
  text: '',
  discarded: true,
})

describe('LiveBlocks', () => {
  it('[LOG-5] the finished block has the id that its deltas had', () => {
    const { blocks, live } = play([start('m'), open(0), text(0, 'Hel'), text(0, 'lo')])
    expect(live).toEqual([delta('p-1', 'Hel'), delta('p-1', 'lo')])
    expect(blocks.finish(undefined, 'm', 'assistant_text')).toEqual({ blockId: 'p-1', discarded: [] })
  })

  it('blocks of one message finish in their order, each kind by itself, tools in between', () => {
    const { blocks } = play([
      start('m'),
      ...[open(0, 'thinking'), thought(0, 'a')],
      ...[open(1), text(1, 'b')],
      ...[
        open(2, 'tool_use'),
        event({ type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{' } }),
      ],
      ...[open(3), text(3, 'c')],
    ])
    const ids = (['thinking', 'assistant_text', 'assistant_text'] as const).map(
      (kind) => blocks.finish(undefined, 'm', kind).blockId,
    )
    expect(ids).toEqual(['p-1', 'p-2', 'p-3'])
  })

  it('a block without any text was never live', () => {
    const { blocks, live } = play([start('m'), open(0, 'thinking'), thought(0, ''), open(1), text(1, 'x')])
    expect(live).toEqual([delta('p-2', 'x')])
    expect(blocks.finish(undefined, 'm', 'thinking')).toEqual({ discarded: [] })
    expect(blocks.finish(undefined, 'm', 'assistant_text').blockId).toBe('p-2')
  })

  it('text that stands in the start of a block is its first piece', () => {
    const first = event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'He' } })
    expect(play([start('m'), first, text(0, 'y')]).live).toEqual([delta('p-1', 'He'), delta('p-1', 'y')])
  })

  it('[LOG-5] the end of a cut message discards the blocks it names, and no finished one', () => {
    const { blocks } = play([start('m'), open(0), text(0, 'kept'), open(1), text(1, 'lost')])
    blocks.finish(undefined, 'm', 'assistant_text')
    expect(blocks.stream(stop({ abandoned_blocks: { api_message_id: 'm', from_block_index: 1 } }))).toEqual([
      gone('p-2'),
    ])
  })

  it('another attempt discards what the first left open', () => {
    const { blocks, live } = play([start('m1'), open(0), text(0, 'half'), start('m2'), open(0), text(0, 'whole')])
    expect(live).toEqual([delta('p-1', 'half'), gone('p-1'), delta('p-2', 'whole')])
    expect(blocks.finish(undefined, 'm2', 'assistant_text').blockId).toBe('p-2')
  })

  it('so does a finished block of a message that was not streamed', () => {
    const { blocks } = play([start('m1'), open(0, 'thinking'), thought(0, 'half')])
    expect(blocks.finish(undefined, 'm2', 'assistant_text')).toEqual({ discarded: [gone('p-1', 'thinking')] })
  })

  it('what was discarded neither grows nor finishes, nor is it discarded twice', () => {
    const { blocks } = play([start('m'), open(0), text(0, 'half')])
    expect(blocks.discard(undefined)).toEqual([gone('p-1')])
    expect(blocks.stream(text(0, ' more'))).toEqual([])
    expect(blocks.finish(undefined, 'm', 'assistant_text')).toEqual({ discarded: [] })
    expect(blocks.discard(undefined)).toEqual([])
  })

  it('a sub-agent streams beside its parent', () => {
    const sub = { parent_tool_use_id: 'call-1' }
    const { blocks, live } = play([
      start('m1'),
      open(0),
      text(0, 'top'),
      start('m2', sub),
      open(0, 'text', sub),
      text(0, 'sub', sub),
    ])
    expect(live).toEqual([delta('p-1', 'top'), { ...delta('p-2', 'sub'), parentCallId: 'call-1' }])
    expect(blocks.finish('call-1', 'm2', 'assistant_text').blockId).toBe('p-2')
    expect(blocks.finish(undefined, 'm1', 'assistant_text').blockId).toBe('p-1')
  })

  it('pieces of nothing that began are ignored', () => {
    expect(
      play([text(0, 'x'), open(0), start('m'), text(4, 'y'), stop(), event({}), { type: 'stream_event' }]).live,
    ).toEqual([])
  })
})
