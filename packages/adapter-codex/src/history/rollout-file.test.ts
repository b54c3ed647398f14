import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../adapter-testkit/src/temp-dir'
import { findRollout } from './rollout-file'

/** Made on 2026-11-24 at 22:05 in UTC. */
const threadId = '01a20f97-f5e9-7301-ab9e-453ab79839db'
let home: TempDir
beforeEach(() => {
  home = tempDir('rollout')
})
afterEach(() => home.remove())

function kept(...day: string[]): string {
  const folder = join(home.path, 'sessions', ...day)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `rollout-2026-11-24T22-05-46-${threadId}.jsonl`)
  writeFileSync(file, '{}\n')
  return file
}
const found = (id = threadId) => findRollout({ CODEX_HOME: home.path }, id)

describe('[RES-9] the file of a conversation of Codex', () => {
  it.each([['24'], ['25'], ['23']])('is found in the folder of its day, wherever on earth: %s', async (day) => {
    const file = kept('2026', '11', day)
    expect(await found()).toBe(file)
  })

  it('is found where somebody moved it', async () => {
    const file = kept('2020', '01', '01')
    expect(await found()).toBe(file)
  })

  it('is none where the id is unknown, or no id, or nothing is kept', async () => {
    expect(await found()).toBeNull()
    kept('2026', '11', '24')
    expect(await found('01a20f97-f5e9-7301-ab9e-000000000000')).toBeNull()
    expect(await found('../../etc')).toBeNull()
    expect(await findRollout({}, threadId)).toBeNull()
  })
})
