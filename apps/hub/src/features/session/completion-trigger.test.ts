import { describe, expect, it } from 'vitest'
import { matching, triggerAt, unknownCommand } from './completion-trigger'

const commands = [
  { name: 'usage', description: '', aliases: ['cost'] },
  { name: 'compact', description: '' },
  { name: 'context', description: '' },
  { name: 'my:deploy', description: '' },
]

describe('[CMD-9] what a draft completes', () => {
  it.each([
    ['/', 1, ''],
    ['/com', 4, 'com'],
    ['/compact', 3, 'co'],
  ])('the word of %j with the caret at %i is a command', (text, caret, query) => {
    expect(triggerAt(text, caret)).toEqual({ kind: 'command', query, from: 0, to: text.length })
  })

  it.each([
    ['a text', 'and /com', 8],
    ['a path', '/etc/hosts is wrong', 4],
    ['behind the word', '/compact now', 12],
    ['before the slash', '/compact', 0],
  ])('nothing: %s', (_what, text, caret) => {
    expect(triggerAt(text, caret)).toBeNull()
  })

  it('lists what begins so before what holds it, by aliases too', () => {
    expect(matching(commands, 'co').map(({ name }) => name)).toEqual(['usage', 'compact', 'context'])
    expect(matching(commands, 'deploy').map(({ name }) => name)).toEqual(['my:deploy'])
    expect(matching(commands, '').length).toBe(4)
  })

  it.each([
    ['/compcat', 'compcat'],
    ['/compcat now', 'compcat'],
    ['/compact now', null],
    ['/cost', null],
    ['/etc/hosts is wrong', null],
    ['a /compcat', null],
  ])('flags an unknown command only: %j', (text, name) => {
    expect(unknownCommand(text, commands)).toBe(name)
  })

  it('flags nothing where nobody knows what the program has', () => {
    expect([unknownCommand('/compcat', undefined), unknownCommand('/compcat', [])]).toEqual([null, null])
  })
})
