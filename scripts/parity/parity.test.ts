import path from 'node:path'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../architecture/import-graph'
import { documents, findTests, parityPage, rowsOf } from './parity-page'

it.each(documents.map((document) => [document.title, document] as const))(
  'of %s every row names a test that every run plays, and no row stands twice',
  (_title, document) => {
    const rows = rowsOf(document)
    const tests = findTests(rows.map(({ test }) => test))
    expect(rows.filter(({ test }) => !tests.has(test)).map(({ name, test }) => `${name}: ${test}`)).toEqual([])
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
  },
)

it('docs/parity.md says what the tables say', async () => {
  await expect(parityPage()).toMatchFileSnapshot(path.join(repositoryRoot, 'docs/parity.md'))
})
