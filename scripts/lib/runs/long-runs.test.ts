import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../common/paths.mjs'
import { longRuns } from './long-runs.mjs'

/** All tests and suites below `folder` whose text matches, as `faults/erasing.test.ts`. */
const filesWith = (folder: string, text: RegExp) =>
  readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      /\.(test|suite|spec)\.ts$/.test(name) &&
      !name.split(path.sep).includes('node_modules') &&
      text.test(readFileSync(inRoot(folder, name), 'utf8')),
  )

describe('what npm test leaves to npm run matrix', () => {
  const { commands = [] } = longRuns.matrix ?? {}

  it('is played there, in every file of e2e that asks which of the two runs', () => {
    // Each command is a runner, its verb, and then the files.
    const played = commands.flatMap(([_runner, _verb, ...files]) => files)
    // A suite bears the name of the files that run it.
    const isPlayed = (name: string) => played.some((part) => name.replace('.suite.', '.test.').includes(part))
    const asking = ['faults', 'real', 'stories'].flatMap((folder) =>
      filesWith(`e2e/${folder}`, /from '.*\/whole-matrix'/).map((name) => `${folder}/${name}`),
    )
    expect(asking).toContain('faults/erasing.test.ts')
    expect(asking.filter((name) => !isPlayed(name))).toEqual([])
  })
})
