import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { eraseFolder } from './erasures'

let dir: TempDir
beforeEach(() => {
  dir = tempDir('erasures')
})
afterEach(() => dir.remove())

it('[SES-3] [FLOW-3] a session of thousands of files is erased while others have their turns', async () => {
  const folder = path.join(dir.path, 'session')
  mkdirSync(path.join(folder, 'artifacts'), { recursive: true })
  for (let file = 0; file < 2_000; file += 1) writeFileSync(path.join(folder, 'artifacts', `${file}`), 'x')
  let turns = 0
  let going = true
  const count = () => {
    turns += 1
    if (going) setImmediate(count)
  }
  setImmediate(count)
  await eraseFolder(folder)
  going = false
  expect(existsSync(folder)).toBe(false)
  expect(turns).toBeGreaterThan(10)
})
