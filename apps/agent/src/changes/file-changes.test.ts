import { linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FileChange } from '@roundhouse/backend-types'
import { applyPatch } from 'diff'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../packages/adapter-testkit/src/temp-dir'
import { createRedactor } from '../redact/redactor'
import { shapeOfTool } from '../testing/tool-shapes'
import { lookAtChanges, seenOf, shownChanges } from './file-changes'

let dir: TempDir
let work: string
beforeEach(() => {
  dir = tempDir('changes')
  work = join(realpathSync(dir.path), 'work')
  mkdirSync(work)
})
afterEach(() => dir.remove())

const redact = createRedactor(['hunter2hunter2'])
const put = (name: string, text: string | Buffer) => writeFileSync(join(work, name), text)
const around = () => ({ folders: [work], roots: [realpathSync(dir.path)] })

function shown(toolName: string, input: object, inputBytes = 0): FileChange[] {
  const changes = shownChanges(lookAtChanges(shapeOfTool(toolName), input, work, around()), inputBytes, redact)
  return changes.map((one) => FileChange.parse(one))
}
const writes = (name: string, content: string) => shown('Write', { file_path: name, content })[0]
const edits = (name: string, old_string: string, new_string: string, more: object = {}) =>
  shown('Edit', { file_path: name, old_string, new_string, ...more })[0]
const numbered = (lines: number) => Array.from({ length: lines }, (_, n) => `line ${n + 1}\n`).join('')

describe('[PERM-7.8] what a Write is shown as', () => {
  it('[PERM-7.8] is a new file where nothing lies', () => {
    expect(writes('new.txt', 'a\nb\n')).toEqual({ path: 'new.txt', was: 'missing' })
  })

  it('[PERM-7.9] is a change of the file that is there, with its true lines and three around each', () => {
    put('a.txt', numbered(20))
    expect(writes('a.txt', numbered(20).replace('line 10\n', 'line ten\n'))).toEqual({
      path: 'a.txt',
      was: 'file',
      lines: 20,
      diff: [
        '@@ -7,7 +7,7 @@',
        ...[' line 7', ' line 8', ' line 9', '-line 10', '+line ten', ' line 11', ' line 12', ' line 13'],
      ].join('\n'),
      added: 1,
      removed: 1,
    })
  })

  it('shows all lines that go where a file is emptied, and none where nothing changes', () => {
    put('a.txt', 'one\ntwo\n')
    expect(writes('a.txt', '')).toMatchObject({ was: 'file', diff: '@@ -1,2 +0,0 @@\n-one\n-two', removed: 2 })
    expect(writes('a.txt', 'one\ntwo\n')).toMatchObject({ was: 'file', diff: '', added: 0, removed: 0 })
  })

  it('says that the last line has no end', () => {
    put('a.txt', 'one\n')
    expect(writes('a.txt', 'one')?.diff).toBe('@@ -1,1 +1,1 @@\n-one\n+one\n\\ No newline at end of file')
  })

  it('compares lines that end as on Windows without their ends, and says so', () => {
    put('a.txt', 'one\r\ntwo\r\n')
    expect(writes('a.txt', 'one\n2\n')).toMatchObject({ crlf: true, diff: '@@ -1,2 +1,2 @@\n one\n-two\n+2' })
  })

  it('[PERM-7.10] is cut where it is long, which says how much there is', () => {
    put('a.txt', numbered(5_000))
    const change = writes('a.txt', 'all new\n'.repeat(4_000))
    expect(change).toMatchObject({ diffCut: true, added: 4_000, removed: 5_000 })
    expect(Buffer.byteLength(change?.diff ?? '')).toBeLessThanOrEqual(32 * 1024)
    const narrow = shown('Write', { file_path: 'a.txt', content: 'x\n' }, 119 * 1024)[0]
    expect(Buffer.byteLength(narrow?.diff ?? '')).toBeLessThanOrEqual(1024)
  })

  it('cuts a line that is very long', () => {
    put('a.txt', 'x'.repeat(10_000))
    expect(writes('a.txt', 'y')).toMatchObject({ diffCut: true, removed: 1 })
  })
})

describe('[PERM-7.8] [PERM-7.9] what an Edit is shown as', () => {
  it('has the lines of the file', () => {
    put('a.txt', numbered(20))
    expect(edits('a.txt', 'line 15', 'line fifteen')).toMatchObject({
      was: 'file',
      lines: 20,
      places: 1,
      diff: '@@ -12,7 +12,7 @@\n line 12\n line 13\n line 14\n-line 15\n+line fifteen\n line 16\n line 17\n line 18',
    })
  })

  it('[PERM-7.8] counts each place that it replaces, and each line', () => {
    put('a.txt', `same same ${'x'.repeat(40)}\nother\n`.repeat(1_200))
    const change = edits('a.txt', 'same', 'new', { replace_all: true })
    expect(change).toMatchObject({ places: 2_400, added: 1_200, removed: 1_200, diffCut: true })
  })

  it('says that the text is not there, or is there more than once', () => {
    put('a.txt', 'one two two\n')
    expect(edits('a.txt', 'three', 'x')).toEqual({ path: 'a.txt', was: 'file', lines: 1, places: 0 })
    expect(edits('a.txt', 'two', 'x')).toEqual({ path: 'a.txt', was: 'file', lines: 1, places: 2 })
    expect(edits('new.txt', 'two', 'x')).toEqual({ path: 'new.txt', was: 'missing' })
  })

  it('of an empty text is what makes a file', () => {
    expect(edits('new.txt', '', 'x\n')).toEqual({ path: 'new.txt', was: 'missing' })
    put('a.txt', 'one\n')
    expect(edits('a.txt', '', 'x\n')).toMatchObject({ was: 'file', places: 0 })
    put('a.txt', '')
    expect(edits('a.txt', '', 'x\n')).toMatchObject({ was: 'file', lines: 0, places: 1, diff: '@@ -0,0 +1,1 @@\n+x' })
  })

  it('takes the line with all that stands in it', () => {
    put('a.txt', 'one\ntwo\nthree\n')
    expect(edits('a.txt', 'two', '')?.diff).toBe('@@ -1,3 +1,2 @@\n one\n-two\n three')
  })

  it('is several steps in one', () => {
    put('a.txt', 'one\ntwo\n')
    const steps = [
      { old_string: 'one', new_string: 'two' },
      { old_string: 'two', new_string: '2', replace_all: true },
    ]
    expect(shown('MultiEdit', { file_path: 'a.txt', edits: steps })[0]).toMatchObject({
      places: 3,
      diff: '@@ -1,2 +1,2 @@\n-one\n-two\n+2\n+2',
    })
  })

  it('is a diff that makes of the file what the edit makes of it, for random texts', () => {
    let seed = 4711
    const below = (most: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * most)
    }
    const some = (most: number) => Array.from({ length: below(most) }, () => ['a', 'b', '\n', '\n'][below(4)]).join('')
    for (let round = 0; round < 400; round += 1) {
      const [text, old_string, new_string] = [some(30), some(4) || 'a', some(4)]
      put('a.txt', text)
      const change = edits('a.txt', old_string, new_string, { replace_all: true })
      if (change?.diff === undefined) continue
      const takesLine = new_string === '' && !old_string.endsWith('\n') && text.includes(`${old_string}\n`)
      const expected = text.replaceAll(takesLine ? `${old_string}\n` : old_string, () => new_string)
      expect([round, applyPatch(text, `${change.diff}\n`)]).toEqual([round, change.diff === '' ? text : expected])
    }
  })
})

describe('[PERM-7.5] what Codex adds', () => {
  const adds = (path: string, diff: string) =>
    shown('fileChange', { changes: [{ path, kind: { type: 'add' }, diff }] })[0]

  it('is a change where a file lies there already', () => {
    put('a.txt', 'one\n')
    expect(adds(join(work, 'a.txt'), 'two\n')).toMatchObject({ was: 'file', diff: '@@ -1,1 +1,1 @@\n-one\n+two' })
    expect(adds(join(work, 'b.txt'), 'two\n')).toMatchObject({ was: 'missing' })
  })

  it('is all that is looked at: of other changes it brings the diff', () => {
    const update = { path: join(work, 'a.txt'), kind: { type: 'update' }, diff: '@@ -1 +1 @@\n-a\n+b\n' }
    expect(shown('fileChange', { changes: [update] })).toEqual([])
  })
})

describe('[PERM-8] [POL-1] what the host looks into', () => {
  it('lies inside the folders of the session, wherever links lead, and inside the roots', () => {
    writeFileSync(join(dir.path, 'secret'), 'hidden\n')
    symlinkSync(join(dir.path, 'secret'), join(work, 'link'))
    symlinkSync(dir.path, join(work, 'up'))
    const outside = { was: 'unknown', unseen: 'outside' }
    for (const path of ['../secret', 'link', 'up/secret', '/etc/hostname', 'up/new']) {
      expect([path, writes(path, 'x')]).toEqual([path, { path, ...outside }])
    }
    const anywhere = { folders: ['/'], roots: [work] }
    const looked = lookAtChanges(shapeOfTool('Write'), { file_path: '/etc/hostname', content: 'x' }, work, anywhere)
    expect(seenOf(looked)).toEqual([{ path: '/etc/hostname', unseen: 'outside' }])
  })

  it('follows a link to a file of the session', () => {
    put('a.txt', 'one\n')
    symlinkSync('a.txt', join(work, 'link'))
    expect(writes('link', 'two\n')).toMatchObject({ was: 'file', diff: '@@ -1,1 +1,1 @@\n-one\n+two' })
  })

  it('is no folder, nothing large, and nothing but text', () => {
    mkdirSync(join(work, 'folder'))
    put('large', 'x'.repeat(1024 * 1024 + 1))
    put('binary', Buffer.from([1, 0, 2]))
    put('latin', Buffer.from([0x61, 0xe4, 0x0a]))
    expect(writes('folder', 'x')).toEqual({ path: 'folder', was: 'file', unseen: 'not_a_file' })
    expect(writes('large', 'x')).toEqual({ path: 'large', was: 'file', unseen: 'too_large' })
    expect(writes('binary', 'x')).toEqual({ path: 'binary', was: 'file', unseen: 'not_text' })
    expect(writes('latin', 'x')).toEqual({ path: 'latin', was: 'file', unseen: 'not_text' })
  })

  it('[LOG-9.1] is shown without its secrets, each line at its place', () => {
    const key = ['-----BEGIN PRIVATE', ' KEY-----\nAAAA\nBBBB\n-----END PRIVATE', ' KEY-----'].join('')
    put('a.env', `${key}\nPASSWORD=hunter2hunter2\nend\n`)
    const change = edits('a.env', 'end', 'END')
    expect(change?.diff).toBe('@@ -3,4 +3,4 @@\n \n \n PASSWORD=[redacted:credential]\n-end\n+END')
    const another = writes('a.env', `${key}\nPASSWORD=another-secret-1\nend\n`)
    expect(another).toMatchObject({ added: 1, removed: 1 })
    expect(another?.diff).toContain('-PASSWORD=[redacted:credential]\n+PASSWORD=[redacted:assignment]')
  })

  it('has another name in what the answer is bound to when it is another file', () => {
    const seen = () => seenOf(lookAtChanges(shapeOfTool('Write'), { file_path: 'a.txt', content: 'x' }, work, around()))
    const missing = seen()
    put('a.txt', 'one')
    const one = seen()
    put('a.txt', 'two')
    expect(new Set([missing, one, seen()].map((each) => JSON.stringify(each))).size).toBe(3)
    linkSync(join(work, 'a.txt'), join(work, 'b.txt'))
    expect(seen()[0]).toHaveProperty('sha256')
  })
})
