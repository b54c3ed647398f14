import { describe, expect, it } from 'vitest'
import { cutOfAsk, describeTool, planObject, shortObject, undrawnInput, unwrapShell } from './describe-tool'

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
    ['mcp__db__query', { sql: 'select 1' }, 'db: query', 'select 1'],
    ['AskUserQuestion', { questions: [{ question: 'Which?' }] }, 'Question', 'Which?'],
    ['ExitPlanMode', { plan: '# The plan\n\n1. Go' }, 'Plan', 'Go'],
    ['imageView', { path: '/a/b.png' }, 'Look at', '/a/b.png'],
    ['sleep', { durationMs: 1_500 }, 'Wait', '1.5 s'],
    ['spawnAgent', { agent: '/root/helper' }, 'Sub-agent', 'helper'],
    ['spawnAgent', { prompt: 'Read it.\nAll.' }, 'Sub-agent', 'Read it.'],
  ])('puts a %s call in words', (toolName, input, verb, object) => {
    expect(describeTool(toolName, input)).toMatchObject({ verb, object })
  })

  it.each([
    ['# Plan', ''],
    ['Plan: add tests\nand more', 'add tests'],
    ['## The plan\n\n- Write it', 'Write it'],
    ['# Planets\n', 'Planets'],
    ['', ''],
  ])('tells of the plan %j what it is about, and not that it is one', (plan, object) => {
    expect(planObject(plan)).toBe(object)
  })

  it.each([
    ['Read', { file_path: '/w/p/src/a.ts' }, 'src/a.ts'],
    ['Write', { file_path: '/real/p/a.ts' }, 'a.ts'],
    ['Edit', { file_path: '/w/people/a.ts' }, '/w/people/a.ts'],
    ['Edit', { file_path: '/w/p' }, '/w/p'],
    ['Edit', { file_path: '/w/p/' }, '/w/p/'],
    ['fileChange', { changes: [{ path: '/w/p/a' }, { path: '/etc/b' }] }, 'a, /etc/b'],
    ['Bash', { command: 'cat /w/p/a.ts' }, 'cat /w/p/a.ts'],
  ])('calls a file of %s as it is called in the folder of its session: %j', (toolName, input, short) => {
    const words = describeTool(toolName, input)
    expect(shortObject(words, ['/real/p/', '/w/p'])).toBe(short)
    expect(shortObject(words, [])).toBe(words.object)
  })

  it.each([undefined, null, 'text', 7, [1, 2], { command: 7 }, { changes: 'no list' }])(
    'bears the odd input %j',
    (input) => {
      for (const name of ['Bash', 'Write', 'fileChange', 'AskUserQuestion', 'ExitPlanMode', 'Unknown'])
        expect(() => describeTool(name, input)).not.toThrow()
    },
  )

  it.each(['constructor', '__proto__', 'hasOwnProperty', 'toString'])(
    'takes a tool named %s for an unknown one',
    (name) => {
      expect(describeTool(name, { a: 'b' })).toMatchObject({ verb: name, object: 'b' })
    },
  )

  it('calls a tool of an MCP server by both names', () => {
    const input = { title: 'It crashes' }
    expect(describeTool('mcp__tickets__create_issue', input)).toMatchObject({
      verb: 'tickets: create_issue',
      object: 'It crashes',
      wish: 'use tickets: create_issue',
    })
    expect(describeTool('mcp__tickets', input).verb).toBe('mcp__tickets')
  })

  it('[PERM-7.1] leaves no member of an input unshown', () => {
    const names = (...args: Parameters<typeof undrawnInput>) => undrawnInput(...args).map(([name]) => name)
    expect(names('Bash', { command: 'ls', run_in_background: true })).toEqual(['run_in_background'])
    expect(names('commandExecution', { command: 'ls', network: { host: 'x' } })).toEqual(['network'])
    const changes = [{ path: 'a', diff: '+b', move: 'c' }]
    expect(names('fileChange', { changes, grantRoot: '/' })).toEqual(['changes', 'grantRoot'])
    expect(names('Edit', { file_path: 'a', old_string: 'b', new_string: 'c' })).toEqual([])
    expect(names('Unknown', { a: 1 })).toEqual([])
  })

  it('[PERM-7.1] of a file that Codex adds or deletes all lines come or go, whatever they begin with', () => {
    const changes = [
      { path: 'new', kind: { type: 'add' }, diff: '-not a sign\n' },
      { path: 'old', kind: { type: 'delete' }, diff: 'gone\n' },
      { path: 'other', kind: { type: 'update', move_path: null }, diff: '@@ -1 +1 @@\n-a\n+b\n' },
    ]
    expect(describeTool('fileChange', { changes }).detail).toEqual({
      kind: 'changes',
      changes: [
        { kind: 'add', path: 'new', text: '-not a sign\n' },
        { kind: 'delete', path: 'old', text: 'gone\n' },
        { kind: 'patch', path: 'other', diff: '@@ -1 +1 @@\n-a\n+b\n' },
      ],
    })
  })

  it('[PERM-7] takes an input that merely looks cut for what it is', () => {
    const disguised = { cut: true, head: 'ls', tail: '', bytes: 2, sha256: 'a'.repeat(64), command: 'rm -rf /' }
    expect(describeTool('Bash', disguised).detail).toEqual({ kind: 'command', text: 'rm -rf /' })
  })

  it('[PERM-7] [LOG-6.3] takes a question for cut only where the host says so, not the program', () => {
    const input = { cut: true, head: 'ls', tail: '', bytes: 2, sha256: 'a'.repeat(64) }
    const shown = (ask: { input: unknown; inputCut?: true }) => describeTool('query', ask.input, cutOfAsk(ask)).detail
    expect(shown({ input })).toEqual({ kind: 'json', text: JSON.stringify(input, null, 2) })
    expect(shown({ input, inputCut: true })).toEqual({ kind: 'cut', value: input })
    expect(undrawnInput('Bash', input, cutOfAsk({ input }))).toContainEqual(['head', 'ls'])
  })

  it('[PERM-7] undoes a shell wrapper only where nothing can hide in the quoting', () => {
    expect(unwrapShell("/bin/bash -lc 'ls -la'")).toBe('ls -la')
    expect(unwrapShell("/bin/bash -lc 'ls' ; rm -rf x'")).toBe("/bin/bash -lc 'ls' ; rm -rf x'")
    expect(unwrapShell("/bin/bash -lc 'a' && 'b'")).toBe("/bin/bash -lc 'a' && 'b'")
  })
})
