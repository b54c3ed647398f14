import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileFinder, walkLimits } from './find-files'

let root: string
let folder: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'roundhouse-files-')))
  folder = path.join(root, 'work')
})
afterEach(() => rmSync(root, { recursive: true }))

/** Makes files by their names; a value is what is in them. */
function has(...files: Array<string | [name: string, text: string]>): void {
  for (const file of files) {
    const [name, text] = typeof file === 'string' ? [file, ''] : file
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
}
const ask = (query = '', more: { denied?: string[]; roots?: string[] } = {}, limits = walkLimits) =>
  new FileFinder(undefined, limits).find({ folder, roots: [root], denied: [], query, ...more })
const found = (...asked: Parameters<typeof ask>) => ask(...asked).files.toSorted()

describe('[CMD-10] files of a work folder', () => {
  it('are those that are not ignored, here and below, and nothing of .git', () => {
    has(['.gitignore', 'node_modules/\n*.log'], '.git/config', 'a.ts', 'a.log', 'node_modules/x/y.js')
    has(['sub/.gitignore', '/private.ts\n!keep.log'], 'sub/private.ts', 'sub/keep.log', 'sub/deep/private.ts')
    expect(found()).toEqual(['.gitignore', 'a.ts', 'sub/.gitignore', 'sub/deep/private.ts', 'sub/keep.log'])
    expect(found('.git/', {}, { ...walkLimits, files: 1 })).not.toContain('.git/config')
  })

  it('inside a repository follow the rules above them', () => {
    has(
      '../.git/config',
      ['../.gitignore', 'work/made/'],
      ['../.git/info/exclude', '*.mine'],
      'made/x.ts',
      'a.mine',
      'b.ts',
    )
    expect(found()).toEqual(['b.ts'])
  })

  it('are nothing that is denied, by its own name or by a link', () => {
    has('a.ts', 'secret/key.ts', 'notes.ts')
    symlinkSync(path.join(folder, 'secret/key.ts'), path.join(folder, 'link.ts'))
    symlinkSync(path.join(folder, 'secret'), path.join(root, 'other-name'))
    const denied = [path.join(root, 'other-name'), path.join(folder, 'notes.ts')]
    expect(found('', { denied })).toEqual(['a.ts'])
    expect(() => ask('', { denied: [root] })).toThrow()
  })

  it('are no links that lead out, to a folder or to nothing', () => {
    has('a.ts', 'deep/b.ts')
    writeFileSync(path.join(root, 'outside.ts'), '')
    symlinkSync('../outside.ts', path.join(folder, 'out.ts'))
    symlinkSync('/nowhere', path.join(folder, 'broken.ts'))
    symlinkSync('.', path.join(folder, 'loop'))
    symlinkSync('a.ts', path.join(folder, 'in.ts'))
    expect(found()).toEqual(['a.ts', 'deep/b.ts', 'in.ts'])
  })

  it('have names that a prompt can hold: no control or invisible characters, no broken text, not endless', () => {
    has('good name.ts', 'line\nfeed.ts', 'esc\u001b[31m.ts', 'rtl\u202e.ts')
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff, 0xfe])]), '')
    const long = Array.from({ length: 6 }, () => 'x'.repeat(240)).join('/')
    has(`${long}/deep.ts`)
    expect(found()).toEqual(['good name.ts'])
  })

  it('have names that a program reads as just this file: no quote, no second @, no place in a file, no odd end', () => {
    has('notes.md', 'notes.md#L1-9', 'report.md~', 'guide @/x.ts', 'a"b.ts', '@types/node.d.ts', 'file (1)', 'größe')
    expect(found()).toEqual(['@types/node.d.ts', 'file (1)', 'größe', 'notes.md'])
  })

  it('come by what was typed: the beginning of a path or name first, then parts, then letters in order', () => {
    has('src/app.ts', 'app/main.ts', 'docs/my-app.md', 'src/a-p-p.ts', 'zzz.ts')
    expect(ask('app').files).toEqual(['app/main.ts', 'src/app.ts', 'docs/my-app.md', 'src/a-p-p.ts'])
    expect(ask('SRC/AP').files).toEqual(['src/app.ts', 'src/a-p-p.ts'])
  })

  it('are looked for only so far, and then in the folder that was typed', () => {
    has(...Array.from({ length: 20 }, (_, i) => `a/${i}.ts`), 'z/deep/wanted.ts')
    const few = { ...walkLimits, files: 5 }
    expect(ask('', {}, few)).toMatchObject({ complete: false })
    expect(ask('z/deep/w', {}, few)).toEqual({ files: ['z/deep/wanted.ts'], complete: false })
    expect(ask('z/../../', {}, few).files).toEqual([])
  })

  it('are asked for in an allowed folder alone, by its real name', () => {
    has('a.ts')
    expect(() => ask('', { roots: [path.join(root, 'elsewhere')] })).toThrow()
    symlinkSync(folder, path.join(root, 'link'))
    const finder = new FileFinder()
    expect(() => finder.find({ folder: path.join(root, 'link'), roots: [root], denied: [], query: '' })).toThrow()
  })
})
