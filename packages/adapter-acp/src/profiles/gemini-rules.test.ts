import { describe, expect, it } from 'vitest'
import { askingRules, harmlessCall } from './gemini-rules'

const looks = 'read_file'
const textFor = (...paths: string[]) => askingRules.text({ tools: [], paths }, '/code')

describe('[POL-1] the rules that Gemini CLI gets', () => {
  it('ask about every command, and about every look at files where something in the folder is denied', () => {
    for (const text of [textFor(), textFor('/code/secret'), askingRules.text(undefined, '/code')])
      expect(text).toMatch(/toolName = "run_shell_command"\nargsPattern = '"command"'\ndecision = "ask_user"/)
    expect(textFor('/code/secret')).toContain(looks)
    expect(textFor('/code')).toContain(looks)
    for (const text of [textFor(), textFor('/elsewhere', '/codes/secret')]) expect(text).not.toContain(looks)
  })

  it('[PERM-10] leave a command to the host only where it runs in the folder of the session', () => {
    const isLeft = (details: string, more = {}, toolName = 'run_shell_command') =>
      harmlessCall({ toolName, input: { command: 'ls', details, ...more } }, '/code') !== null
    expect(isLeft('[current working directory /code] (List)')).toBe(true)
    expect(isLeft('[current working directory /code]')).toBe(true)
    expect(isLeft('[current working directory /code/secret] (List)')).toBe(false)
    expect(isLeft('List')).toBe(false)
    expect(isLeft('[current working directory /code] (List)', { dir_path: 'secret' })).toBe(false)
    expect(isLeft('[current working directory /code] (List)', {}, 'write_file')).toBe(false)
  })

  it('[PERM-14] leave a file that is read to the host, and no search, whose place nobody says', () => {
    const of = (toolName: string, input: object) => harmlessCall({ toolName, input }, '/code')
    expect(of('read_file', { title: 'a.txt', locations: ['/code/a.txt'] })).toEqual({ reads: '/code/a.txt' })
    expect(of('read_file', { title: 'a.txt' })).toBeNull()
    expect(of('read_file', { title: 'a.txt', locations: ['/code/a.txt', '/code/b.txt'] })).toBeNull()
    expect(of('grep_search', { title: 'word' })).toBeNull()
  })
})
