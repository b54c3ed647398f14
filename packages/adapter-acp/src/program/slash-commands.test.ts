import { describe, expect, it } from 'vitest'
import { type ProfileName, profiles } from '../profiles'
import { commandsOf } from '../translate/commands'
import { changedBy, refuseCommand } from './slash-commands'

const codeOf = (name: ProfileName, text: string) => refuseCommand(profiles[name], text)?.code

describe('[CMD-9] a command that changes what the policy governs', () => {
  it.each([
    ['gemini', '/extensions install https://example.com/x'],
    ['gemini', '/Extensions link /x'],
    ['gemini', '/restore'],
    ['qwen', '/approval-mode yolo'],
    ['qwen', '/mcp add x'],
  ] as const)('of %s is no prompt: %s', (name, text) => {
    expect(codeOf(name, text)).toBe('POLICY_DENIED')
  })

  it.each([
    ['gemini', '/memory show'],
    ['gemini', 'install /extensions'],
    ['opencode', '/init'],
    ['generic', '/constructor'],
  ] as const)('any other text of %s is: %s', (name, text) => {
    expect(codeOf(name, text)).toBeUndefined()
  })

  it('is not offered either', () => {
    const listed = ['memory', 'memory show', 'extensions', 'extensions install'].map((name) => ({
      name,
      description: '',
    }))
    const isRefused = (name: string) => changedBy(profiles.gemini, name) !== undefined
    expect(commandsOf(listed, isRefused).map(({ name }) => name)).toEqual(['memory', 'memory show'])
  })
})
