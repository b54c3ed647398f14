// The files that belong to the repository: what git tracks or would track.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { root } from './paths.mjs'

const made = new Set([
  'node_modules',
  '.git',
  'dist',
  '.next',
  '.turbo',
  'generated',
  'test-results',
  '.roundhouse',
  'workspace',
])

function walk(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (made.has(entry.name)) return []
    const name = path.posix.join(folder, entry.name)
    return entry.isDirectory() ? walk(name) : [name]
  })
}

/** Paths below the root, with forward slashes; without git (a downloaded archive) the folders are walked. */
export function listFiles() {
  try {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const out = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return out.split('\0').filter((name) => name !== '' && existsSync(path.join(root, name)))
  } catch {
    return walk('')
  }
}
