import type { PermissionAsk } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { inputEditOf } from './input-edit'

const asked = (more: object) =>
  ({
    canEdit: true,
    shape: { kind: 'command', command: 'command' },
    input: { command: 'rm -r x' },
    ...more,
  }) as PermissionAsk

describe('an edit of what is asked', () => {
  it('[PERM-2] of a command, a content or a change touches that alone', () => {
    const bash = inputEditOf(asked({ input: { command: 'rm -r x', description: 'Tidy' } }))
    expect([bash?.label, bash?.text, bash?.apply('ls x')]).toEqual([
      'Command',
      'rm -r x',
      { input: { command: 'ls x', description: 'Tidy' } },
    ])
    const shape = { kind: 'write', path: 'file_path', text: 'content' }
    expect(inputEditOf(asked({ shape, input: { file_path: 'a', content: 'b' } }))?.apply('c')).toEqual({
      input: { file_path: 'a', content: 'c' },
    })
  })

  it('[PERM-2] of another tool is JSON, and says when it is none', () => {
    const edit = inputEditOf(asked({ shape: undefined, input: { a: 1 } }))
    expect(edit?.text).toBe('{\n  "a": 1\n}')
    expect(edit?.apply('{"a":2}')).toEqual({ input: { a: 2 } })
    expect(edit?.apply('{"a":')).toEqual({ problem: 'This is not valid JSON yet.' })
    expect(edit?.apply('[]')).toEqual({ problem: 'This is not a JSON object.' })
  })

  it.each([
    ['the program takes none', { canEdit: false }],
    ['its middle is not here', { inputCut: true }],
    ['it is a question', { answerFields: { field: 'answers', names: [] } }],
    ['it is a form', { form: { fields: [] } }],
    ['it is a plan', { plan: { text: '' } }],
  ])('is not offered where %s', (_why, more) => {
    expect(inputEditOf(asked(more))).toBeUndefined()
  })
})
