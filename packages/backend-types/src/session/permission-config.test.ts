import { describe, expect, it } from 'vitest'
import { allowsUnasked, namesTool, readToolPattern, unreadablePattern } from './permission-config'

describe('a pattern of a session’s rules', () => {
  it.each([
    ['Write', { kind: 'tool', toolName: 'Write' }],
    ['mcp__sums__add', { kind: 'tool', toolName: 'mcp__sums__add' }],
    ['Bash', { kind: 'tool', toolName: 'Bash' }],
    ['Bash(*)', { kind: 'tool', toolName: 'Bash' }],
    ['Bash(pnpm:*)', { kind: 'commands', rule: 'pnpm:*' }],
    ['Bash(npm run *)', { kind: 'commands', rule: 'npm run *' }],
    ['Bash(git status)', { kind: 'commands', rule: 'git status' }],
  ])('[PERM-12.2] %s is read', (text, expected) => {
    expect(readToolPattern(text)).toEqual(expected)
  })

  it.each([
    '',
    ' ',
    'Bash()',
    'Bash( )',
    'Bash(*.sh)',
    'Bash(a * b)',
    'Bash(a\nb)',
    'Read(~/x)',
    'Edit(src/**)',
    '*',
    'a b',
  ])('[PERM-12.3] %j cannot be judged', (text) => {
    expect(readToolPattern(text)).toBeNull()
    expect(unreadablePattern({ allowPatterns: ['Write'], disallowPatterns: [text] })).toBe(text)
  })

  it('[PERM-12.2] names its tool, the tools of its server, and Bash every tool that takes commands', () => {
    expect(namesTool('Write', 'Write', false)).toBe(true)
    expect(namesTool('Bash', 'shell', true)).toBe(true)
    expect(namesTool('mcp__sums', 'mcp__sums__add', false)).toBe(true)
    expect(['Bash', 'mcp__sum', 'Writ', 'write'].filter((one) => namesTool(one, 'mcp__sums__add', false))).toEqual([])
  })

  it('[PERM-12.4] only allow patterns and a default of allow let something run unasked', () => {
    expect([{ allowPatterns: ['Write'] }, { defaultDecision: 'allow' as const }].map(allowsUnasked)).toEqual([
      true,
      true,
    ])
    expect([{}, { disallowPatterns: ['Write'], defaultDecision: 'deny' as const }].map(allowsUnasked)).toEqual([
      false,
      false,
    ])
  })
})
