import { describe, expect, it } from 'vitest'
import { describeTool, unwrapShell } from './describe-tool'

describe('describeTool', () => {
  it.each([
    ['Bash', { command: 'npm test\nnpm run build' }, 'Run', 'npm test'],
    ['commandExecution', { command: "/bin/bash -lc 'npm test'" }, 'Run', 'npm test'],
    ['Write', { file_path: '/a/b.ts', content: 'x' }, 'Write', '/a/b.ts'],
    ['Edit', { file_path: '/a/b.ts', old_string: 'x', new_string: 'y' }, 'Edit', '/a/b.ts'],
    [
      'fileChange',
      {
        changes: [
          { path: '/a', diff: '+x' },
          { path: '/b', diff: '-y' },
        ],
      },
      'Edit',
      '/a, /b',
    ],
    ['mcp__db__query', { sql: 'select 1' }, 'mcp__db__query', 'select 1'],
  ])('puts a %s call in words', (toolName, input, verb, object) => {
    expect(describeTool(toolName, input)).toMatchObject({ verb, object })
  })

  it.each([undefined, null, 'text', 7, [1, 2], { command: 7 }, { changes: 'no list' }])(
    'bears the odd input %j',
    (input) => {
      for (const name of ['Bash', 'Write', 'fileChange', 'Unknown'])
        expect(() => describeTool(name, input)).not.toThrow()
    },
  )

  it('[PERM-7] undoes a shell wrapper only where nothing can hide in the quoting', () => {
    expect(unwrapShell("/bin/bash -lc 'ls -la'")).toBe('ls -la')
    expect(unwrapShell("/bin/bash -lc 'ls' ; rm -rf x'")).toBe("/bin/bash -lc 'ls' ; rm -rf x'")
    expect(unwrapShell("/bin/bash -lc 'a' && 'b'")).toBe("/bin/bash -lc 'a' && 'b'")
  })
})
