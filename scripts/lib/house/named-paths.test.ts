import { describe, expect, it } from 'vitest'
import { findLostPaths, placesOf } from './named-paths.mjs'

const places = placesOf(['apps/agent/src/main.ts', 'docs/policy.md', 'packages/lines/src/index.ts'])
const lost = (text: string, name = 'README.md') => findLostPaths(name, text, places)

describe('findLostPaths', () => {
  it('names a file or a folder between backticks that does not exist, with its line', () => {
    expect(lost('One line.\nSee `src/gone.ts` and `apps/gone`.')).toEqual([
      'README.md:2 names src/gone.ts, which does not exist',
      'README.md:2 names apps/gone, which does not exist',
    ])
  })

  it.each(['apps/agent/src', 'apps/agent/', 'src/main.ts', 'main.ts', 'docs/policy.md', 'packages/lines/src/index.ts'])(
    'knows %s by its whole path or by the end of it',
    (path) => {
      expect(lost(`See \`${path}\`.`)).toEqual([])
    },
  )

  it.each(['config/policy.json', 'and/or', 'npm run check', 'GET /sessions'])(
    'takes %s, which need not be a path of the repository, for what it is',
    (words) => {
      expect(lost(`See \`${words}\`.`)).toEqual([])
    },
  )

  it('reads documents alone', () => {
    expect(lost('// `src/gone.ts`', 'src/here.ts')).toEqual([])
  })
})
