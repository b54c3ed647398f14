import type { SessionEvent } from '@roundhouse/backend-types'
import { allGoldenEvents } from '@roundhouse/backend-types/fixtures'
import { describe, expect, it } from 'vitest'
import { buildTranscript } from '../items/build-items'
import { findRows } from './find-rows'

const rowsOf = (events: readonly SessionEvent[]) =>
  buildTranscript(
    events.map((event, index) => ({ seq: index + 1, at: 0, storedAt: 0, v: 1, kind: event.kind, event })),
  ).items.map((item) => ({ key: item.key, item }))
const call = (callId: string, input: unknown, parentCallId?: string): SessionEvent => ({
  kind: 'tool_use',
  callId,
  toolName: 'Bash',
  input,
  ...(parentCallId ? { parentCallId } : {}),
})

describe('findRows', () => {
  const rows = rowsOf([
    { kind: 'assistant_text', text: 'The Parser drops a line.' },
    call('a', { command: 'grep -rn "parser" src\nwc -l' }),
    { kind: 'tool_result', callId: 'a', output: [{ type: 'text', text: 'src/parser.ts:3' }] },
    { kind: 'thinking', text: 'nothing here' },
    call('b', { command: 'ls' }),
    call('c', { command: 'cat parser.ts' }, 'b'),
  ])

  it('finds text, input, output and what a sub-agent did, whatever the case', () => {
    expect(findRows(rows, 'PARSER').map(({ seq }) => seq)).toEqual([1, 2, 5])
    expect(findRows(rows, 'parser.ts:3').map(({ seq }) => seq)).toEqual([2])
  })

  it('finds text as people read it, not as JSON has it', () => {
    expect(findRows(rows, '"parser" src')).toHaveLength(1)
  })

  it('finds nothing for nothing', () => {
    expect(findRows(rows, '  ')).toEqual([])
    expect(findRows(rows, 'no such words')).toEqual([])
  })

  it('bears every golden event', () => {
    expect(() => findRows(rowsOf(allGoldenEvents), 'x')).not.toThrow()
  })
})
