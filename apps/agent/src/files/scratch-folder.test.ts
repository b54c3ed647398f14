import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { makeAskedScratch } from './scratch-folder'

it('a look at a program removes the temporary folders of looks whose process is gone, and no other folder', () => {
  const root = mkdtempSync(path.join(os.tmpdir(), 'scratch-folder-'))
  try {
    const living = `.asked-codex-${process.ppid}`
    for (const name of [`.asked-my-tool-${spawnSync('true').pid}`, living, 'a-session'])
      mkdirSync(path.join(root, name, 'tmp'), { recursive: true, mode: 0o700 })
    makeAskedScratch(root, 'claude')
    expect(readdirSync(root).sort()).toEqual([`.asked-claude-${process.pid}`, living, 'a-session'].sort())
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
