import { describe, expect, it } from 'vitest'
import { lastLines } from './last-lines'

const told = (text: string, callId: string | undefined = 'c') => ({ kind: 'tool_progress' as const, callId, text })

describe('lastLines', () => {
  it('gives the last line that says something', () => {
    expect(lastLines([told('one\ntwo\n\n')]).get('c')).toBe('two')
    expect(lastLines([told('  \n')]).size).toBe(0)
  })

  it('gives the latest block of a call, and nothing for text that is no progress', () => {
    const blocks = [told('10 %'), told('20 %'), { kind: 'assistant_text' as const, callId: 'x', text: 'hello' }]
    expect([...lastLines(blocks)]).toEqual([['c', '20 %']])
  })

  it('gives what a helper writes to the call that started it', () => {
    const said = { kind: 'assistant_text' as const, parentCallId: 'h', text: 'I look\nat the tests' }
    expect([...lastLines([said])]).toEqual([['h', 'at the tests']])
  })

  it('gives a line of a terminal as a person would see it', () => {
    expect(lastLines([told('\u001b[32mReady\u001b[0m on 3000\n')]).get('c')).toBe('Ready on 3000')
    expect(lastLines([told('10 %\r20 %\r')]).get('c')).toBe('20 %')
  })

  it('keeps a line short, from its end', () => {
    expect(lastLines([told(`${'x'.repeat(900)} 99 %`)]).get('c')).toMatch(/^x+ 99 %$/)
    expect(lastLines([told('y'.repeat(900))]).get('c')).toHaveLength(200)
  })
})
