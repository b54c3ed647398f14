import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refuseMentions } from './mentions'

let root: string
let work: string
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'roundhouse-mentions-')))
  work = join(root, 'work')
  mkdirSync(join(work, 'src/@types'), { recursive: true })
  mkdirSync(join(root, 'out'))
  writeFileSync(join(root, 'out/key'), 'TOP')
  writeFileSync(join(work, 'a.ts'), 'inside')
  writeFileSync(join(work, 'notes.md#L1'), 'a decoy')
  for (const name of ['notes.md', 'report.md']) symlinkSync('../out/key', join(work, name))
  writeFileSync(join(work, 'report.md~'), 'a decoy')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const refuse = (text: string) =>
  refuseMentions(text.replaceAll('OUT', join(root, 'out/key')), [work], root)?.code ?? null

describe('[CMD-10] a prompt is refused that names behind @ what lies outside', () => {
  it.each([
    '@OUT',
    'see @OUT.',
    '看。@OUT',
    '(@OUT)',
    'x@OUT',
    '@OUT-',
    '@OUT***',
    '@OUT看',
    '@"OUT"',
    '@"foo @OUT "',
    "@'OUT'",
    '@OUT#L1-9',
    '@../out/key',
    '@~/out/key',
    '@notes.md',
    '@notes.md#L1',
    '@notes.md#L1-9',
    '@report.md~',
    `${'@a '.repeat(300)}@OUT`,
    `${Array.from({ length: 300 }, (_, n) => `@n${n}`).join(' ')} @OUT`,
    'first\n@OUT',
  ])('%s', (text) => expect(refuse(text)).toBe('PATH_NOT_ALLOWED'))

  it('and one with more names than can be looked up', () => {
    expect(refuse(Array.from({ length: 60_000 }, (_, n) => `@${n}`).join(' '))).toBe('PATH_NOT_ALLOWED')
    // Millions of names, of which few are different.
    expect(refuse('@'.repeat(4_000))).toBe('PATH_NOT_ALLOWED')
  })
})

describe('[CMD-10] a prompt may go that names', () => {
  it.each([
    '@a.ts',
    '@a.ts#L3, and more',
    'ana@example.org',
    '@types/node',
    'a @ b',
    '@',
    '@nothing/here',
    '@"a.ts"',
    '@/no/such/file',
  ])('%s', (text) => expect(refuse(text)).toBe(null))
})
