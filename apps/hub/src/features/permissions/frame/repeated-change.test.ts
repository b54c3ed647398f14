import type { FileChange } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { ToolDetail } from '../../transcript/changes/input-detail'
import { withoutRepeatedChange } from './repeated-change'

const path = '/code/cart.js'
const edit: ToolDetail = {
  kind: 'changes',
  changes: [{ kind: 'edit', path, before: 'a', after: 'b', everywhere: false }],
}
const write = (text: string): ToolDetail => ({ kind: 'changes', changes: [{ kind: 'write', path, text }] })
const found = (more: Partial<FileChange> = {}): FileChange[] => [
  { path, was: 'file', lines: 3, diff: '@@ -1,3 +1,3 @@\n {\n-    a\n+    b\n }', ...more },
]
const head = (of = path) => `Index: ${of}\n${'='.repeat(67)}\n--- ${of}\n+++ ${of}\n`
/** Without the indentation that its lines share, as OpenCode writes it. */
const diff = `${head()}@@ -1,3 +1,3 @@\n {\n-  a\n+  b\n }\n`

describe('[PERM-7] a change that a program describes twice is shown once', () => {
  it('leaves out the path and the diff that say what is drawn', () => {
    expect(
      withoutRepeatedChange(
        [
          ['filepath', path],
          ['diff', diff],
        ],
        edit,
        found(),
      ),
    ).toEqual([])
  })

  it('leaves out the diff of a new file, and that it was empty before', () => {
    const isNew = found({ was: 'missing', diff: undefined })
    const said: Array<[string, unknown]> = [
      ['diff', `${head()}@@ -0,0 +1,2 @@\n+# New\n+\n`],
      ['before', ''],
    ]
    expect(withoutRepeatedChange(said, write('# New\n\n'), isNew)).toEqual([])
  })

  it('leaves out the old text of a file with which the machine compared the new one', () => {
    expect(withoutRepeatedChange([['before', '{\n    a\n}']], write('{\n    b\n}'), found())).toEqual([])
  })

  it.each<[string, string, unknown, FileChange[]]>([
    ['another path', 'filepath', '/code/other.js', found()],
    ['a path under a name that says more', 'moveTo', path, found()],
    ['another line that goes', 'diff', diff.replace('-  a', '-  c'), found()],
    ['another line that comes', 'diff', diff.replace('+  b', '+  b\n+  c'), found()],
    ['other indentation within the change', 'diff', diff.replace('+  b', '+      b'), found()],
    ['the diff of another file', 'diff', diff.replace(`+++ ${path}`, '+++ /code/other.js'), found()],
    ['a diff without a hunk', 'diff', 'nothing', found()],
    ['a change of which the beginning is drawn', 'diff', diff, found({ diffCut: true })],
    ['a file that the machine did not read', 'diff', diff, found({ was: 'unknown', diff: undefined })],
    ['a file of which the machine says nothing', 'diff', diff, []],
    ['what is no text', 'diff', { lines: 3 }, found()],
    ['any other member', 'replaceAll', true, found()],
  ])('keeps %s', (_what, name, value, facts) => {
    expect(withoutRepeatedChange([[name, value]], edit, facts)).toEqual([[name, value]])
  })

  it('keeps everything beside several changes, and beside an action that changes no file', () => {
    const both: ToolDetail = {
      kind: 'changes',
      changes: [...(edit.kind === 'changes' ? edit.changes : []), ...(edit.kind === 'changes' ? edit.changes : [])],
    }
    for (const detail of [both, { kind: 'command', text: 'ls' } as const]) {
      expect(withoutRepeatedChange([['filepath', path]], detail, found())).toEqual([['filepath', path]])
    }
  })
})
