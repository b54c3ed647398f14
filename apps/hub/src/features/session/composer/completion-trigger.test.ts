import { describe, expect, it } from 'vitest'
import { matching, mentionOf, triggerAt, unknownCommand } from './completion-trigger'

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

  it.each([
    ['@', 1, ''],
    ['see @src/ap now', 11, 'src/ap'],
    ['/compact @a', 11, 'a'],
  ])('[CMD-10] the word of %j with the caret at %i is a file', (text, caret, query) => {
    const from = text.indexOf('@')
    expect(triggerAt(text, caret)).toEqual({ kind: 'file', query, from, to: from + 1 + query.length })
  })

  it('[CMD-10] an address is no file, and a name with spaces is quoted', () => {
    expect(triggerAt('ana@example.org', 15)).toBeNull()
    expect([mentionOf('a.ts'), mentionOf('a b.ts')]).toEqual(['@a.ts', '@"a b.ts"'])
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
  ])('[CMD-9.13] flags an unknown command only: %j', (text, name) => {
    expect(unknownCommand(text, commands)).toBe(name)
  })

  it('flags nothing where nobody knows what the program has', () => {
    expect([unknownCommand('/compcat', undefined), unknownCommand('/compcat', [])]).toEqual([null, null])
  })
})
