import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { areAllowedByRules } from './covered-by-rules'

let root: string
beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'rh-covered-')))
  for (const name of ['own', 'copied', 'copied/src', 'own/inner']) {
    mkdirSync(path.join(root, name), { recursive: true })
    if (name !== 'copied/src') execFileSync('git', ['init', '-q', path.join(root, name)])
  }
  for (const name of ['copied', 'own/inner'])
    appendFileSync(path.join(root, name, '.git/config'), '[core]\n\tfsmonitor = ./runs\n')
  writeFileSync(path.join(root, 'copied/git'), '')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const rules = ['git status:*', 'git -C:*', '/usr/bin/git log', 'cd:*', 'ls:*', 'npm run git-status']
const isAllowed = (text: string, name: string, more: readonly string[] = rules) => {
  const cwd = path.join(root, name)
  return areAllowedByRules(text, more, { cwd, folders: [path.join(root, name)], roots: [root], rules: {} })
}

describe('[PERM-11.7] a rule that allows a git command', () => {
  it.each(['git status', 'git status -s && ls', '/usr/bin/git log', 'ls'])('covers it: %s', (text) =>
    expect(isAllowed(text, 'own')).toBe(true),
  )

  it.each(['git status', 'ls && git status', '/usr/bin/git log', 'cd src; git status', 'npm run git-status'])(
    'does not cover it where the repository names a program: %s',
    (text) => expect(isAllowed(text, 'copied')).toBe(false),
  )

  it.each(['cd inner && git status', 'git -C inner status'])(
    'does not cover it in another folder whose repository names a program: %s',
    (text) => expect(isAllowed(text, 'own')).toBe(false),
  )

  it.each(['ls', 'ls .git', 'ls .gitignore', 'cd src'])('says nothing of another command there: %s', (text) =>
    expect(isAllowed(text, 'copied')).toBe(true),
  )

  it('is not limited where it allows every command', () => {
    for (const any of ['*', ':*']) expect(isAllowed('git status', 'copied', [any])).toBe(true)
  })
})
