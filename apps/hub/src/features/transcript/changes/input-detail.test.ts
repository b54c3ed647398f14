import { type InputShape, type PermissionAsk, unwrapShell } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { inputDetail, undrawnInput } from './input-detail'
import { cutOfAsk, wordsOfAsk } from './tool-words'

const command: InputShape = { kind: 'command', command: 'command' }
const edit: InputShape = { kind: 'edit', path: 'file_path', before: 'old_string', after: 'new_string' }
const patches: InputShape = { kind: 'patches', changes: 'changes' }
const shapes: InputShape[] = [
  command,
  edit,
  { ...edit, list: 'edits' },
  patches,
  { kind: 'edit_file', path: 'command' },
  { kind: 'write', path: 'command', text: 'content' },
  { kind: 'task', text: 'command' },
  { kind: 'plan', text: 'plan' },
  { kind: 'questions', questions: 'questions', answers: 'command' },
  { kind: 'members' },
]

describe('the input of a call', () => {
  it.each([undefined, null, 'text', 7, [1, 2], { command: 7 }, { changes: 'no list' }, { questions: [null] }])(
    'can be the odd %j',
    (input) => {
      for (const shape of [...shapes, undefined]) expect(() => inputDetail(shape, input)).not.toThrow()
    },
  )

  it('[PERM-7.20] leaves no member unshown', () => {
    const names = (...args: Parameters<typeof undrawnInput>) => undrawnInput(...args).map(([name]) => name)
    expect(names(command, { command: 'ls', run_in_background: true })).toEqual(['run_in_background'])
    expect(names(command, { command: 7 })).toEqual(['command'])
    const changes = [{ path: 'a', diff: '+b', move: 'c' }]
    expect(names(patches, { changes, grantRoot: '/' })).toEqual(['changes', 'grantRoot'])
    expect(names(edit, { file_path: 'a', old_string: 'b', new_string: 'c' })).toEqual([])
    expect(names(undefined, { a: 1 })).toEqual([])
  })

  it('[PERM-7.18] [PERM-7.20] is there in full, whatever its shape and its description say', () => {
    const ask = {
      toolName: 'Bash',
      input: { command: 'rm -rf /', description: 'Look around' },
      display: { verb: 'Read', wish: 'read a file', paths: ['README.md'] },
    } as unknown as PermissionAsk
    expect(wordsOfAsk(ask)).toMatchObject({ wish: 'read a file', object: 'README.md' })
    for (const shape of [...shapes, undefined]) {
      const shown = JSON.stringify([inputDetail(shape, ask.input, null), undrawnInput(shape, ask.input, null)])
      expect(shown).toContain('rm -rf /')
      expect(shown).toContain('Look around')
      expect(shown).not.toContain('README.md')
    }
  })

  it('[PERM-7.1] has of a file that is added or deleted all lines, whatever they begin with', () => {
    const changes = [
      { path: 'new', kind: { type: 'add' }, diff: '-not a sign\n' },
      { path: 'old', kind: { type: 'delete' }, diff: 'gone\n' },
      { path: 'other', kind: { type: 'update', move_path: null }, diff: '@@ -1 +1 @@\n-a\n+b\n' },
    ]
    expect(inputDetail(patches, { changes })).toEqual({
      kind: 'changes',
      changes: [
        { kind: 'add', path: 'new', text: '-not a sign\n' },
        { kind: 'delete', path: 'old', text: 'gone\n' },
        { kind: 'patch', path: 'other', diff: '@@ -1 +1 @@\n-a\n+b\n' },
      ],
    })
  })

  it('[PERM-7] that merely looks cut is taken for what it is', () => {
    const disguised = { cut: true, head: 'ls', tail: '', bytes: 2, sha256: 'a'.repeat(64), command: 'rm -rf /' }
    expect(inputDetail(command, disguised)).toEqual({ kind: 'command', text: 'rm -rf /' })
  })

  it('[PERM-7] [LOG-6.3] of a question is cut only where the host says so, not the program', () => {
    const input = { cut: true, head: 'ls', tail: '', bytes: 2, sha256: 'a'.repeat(64) }
    const shown = (ask: { input: unknown; inputCut?: true }) => inputDetail(undefined, ask.input, cutOfAsk(ask))
    expect(shown({ input })).toEqual({ kind: 'json', text: JSON.stringify(input, null, 2) })
    expect(shown({ input, inputCut: true })).toEqual({ kind: 'cut', value: input })
    expect(undrawnInput(command, input, cutOfAsk({ input }))).toContainEqual(['head', 'ls'])
  })

  it('[PERM-7] is without a shell wrapper only where nothing can hide in the quoting', () => {
    expect(unwrapShell("/bin/bash -lc 'ls -la'")).toBe('ls -la')
    expect(unwrapShell("/bin/bash -lc 'ls' ; rm -rf x'")).toBe("/bin/bash -lc 'ls' ; rm -rf x'")
    expect(unwrapShell("/bin/bash -lc 'a' && 'b'")).toBe("/bin/bash -lc 'a' && 'b'")
  })
})
