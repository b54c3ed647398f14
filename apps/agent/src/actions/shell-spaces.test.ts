import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { namesOfCommand } from './command-names'
import { deniedBy } from './denied'
import { readingsOf } from './shell-spaces'
import { cutCommand } from './shell-words'

let root: string
let cwd: string
let own: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-spaces-')))
  cwd = path.join(root, 'work')
  own = path.join(root, 'own')
  for (const folder of [cwd, own]) mkdirSync(folder)
  writeFileSync(path.join(own, 'identity.json'), 'KEY')
})
afterEach(() => rmSync(root, { recursive: true }))

const rule = (input: unknown) => deniedBy({ tool: 'Bash', input, cwd }, { agentPlaces: [own] })
const bash = (command: string) => execFileSync('/bin/bash', ['-c', command], { cwd, encoding: 'utf8' })

const SPACES = [
  '\u00a0',
  '\v',
  '\f',
  '\r',
  '\ufeff',
  '\u3000',
  '\u2028',
  '\u1680',
  '\u0085',
  '\u180e',
  '\u200b',
  '\u202f',
]

describe('[POL-4] what a shell takes for a letter', () => {
  it.each(SPACES)('[A42] is one in a name: %j', (space) => {
    symlinkSync(own, path.join(cwd, `a${space}b`))
    for (const command of [
      `cat a${space}b/identity.json`,
      `cat "a${space}b"/identity.json`,
      `sh -c 'cat a${space}b/identity.json'`,
      `echo $(cat a${space}b/iden\\tity.json)`,
      `cat <<X\n$(cat a${space}b/identity.json)\nX`,
      `cat < a${space}b/identity.json`,
    ]) {
      expect([command, bash(command).trim()]).toEqual([command, 'KEY'])
      expect([command, rule({ command })]).toEqual([command, 'agentHome'])
    }
    expect(rule({ command: ['cat', `a${space}b/identity.json`] })).toBe('agentHome')
    expect(rule({ command: `cat a${space}c/identity.json` })).toBeNull()
  })

  it.each(SPACES)('[A42] and what another shell takes for a space are read in both ways: %j', (space) => {
    symlinkSync(own, path.join(cwd, 'link'))
    expect(rule({ command: `cat${space}li"n"k/identity.json${space}x` })).toBe('agentHome')
    expect(rule({ command: `cat\t<li\\nk/identity.json${space}\n` })).toBe('agentHome')
  })

  it.each([
    ['a broken line', 'cat li\\\nnk/identity.json'],
    ['a broken sign', 'cat <\\\n<\\\nX\nX\ncat li""nk/identity.json'],
    ['a broken mark', 'cat <<\\\nX\nX\ncat li""nk/identity.json'],
    ['a mark in other quotes', 'cat <<$\'X\'\nX\ncat li""nk/identity.json\n$X'],
    ['a number that looks like a mark', '((x=1<<2))\ncat li""nk/identity.json\n2'],
    ['the end of a line of another system', 'cat <<X\r\nX\r\ncat li""nk/identity.json\nX'],
  ])('[A42] hides nothing behind %s', (_what, command) => {
    symlinkSync(own, path.join(cwd, 'link'))
    expect(bash(`${command} 2>/dev/null || true`)).toMatch(/KEY|^$/)
    expect(rule({ command })).toBe('agentHome')
  })

  it('a document is no command whose doubts are told', () => {
    expect(namesOfCommand({ command: "cat > x <<'X'\n$it\nX" }, cwd).unknown).toEqual([])
    expect(rule({ command: "cat > x <<'X'\nsome text / more\nX" })).toBeNull()
  })

  it('has one reading where there is nothing to tell apart, and few in any case', () => {
    expect(readingsOf('cat a b\tc\nd')).toEqual(['cat a b\tc\nd'])
    expect(readingsOf('a\u00a0b\vc')).toEqual(['a\u00a0b\vc', 'a b c', 'a b\vc', 'a\u00a0b c'])
    expect(readingsOf(SPACES.join('x').repeat(1_000))).toHaveLength(2)
  })
})

describe('[POL-4] a long command of odd spaces', () => {
  /** How often a sign is looked for meanwhile. */
  function stepsOf(work: () => unknown): number {
    const { test } = RegExp.prototype
    let steps = 0
    RegExp.prototype.test = function (text) {
      steps += 1
      return test.call(this, text)
    }
    try {
      work()
    } finally {
      RegExp.prototype.test = test
    }
    return steps
  }
  const KIB = 1_024

  it.each(SPACES.filter((space) => space !== '\r'))('is one word, and a word is cut in one step: %j', (space) => {
    const word = `a${space}`.repeat(50 * KIB)
    expect(stepsOf(() => expect(cutCommand(word)).toMatchObject([{ words: [word] }]))).toBeLessThan(10)
  })

  it.each([
    ['one word', 'a\u00a0'],
    ['a word of two kinds', '\u00a0\v'],
    ['words', 'ab\u00a0cd ef\r '],
    ['lines', '\r\n'],
    ['lines of another kind', '\u0085\n'],
    ['assignments', 'a=\u00a0'],
    ['substitutions', '$(a\u00a0)'],
    ['texts in quotes', "'a\u00a0' "],
    ['open brackets', '(\u00a0'],
  ])('is judged in steps that grow with its length only: %s', (_what, part) => {
    const judged = (length: number) =>
      stepsOf(() => expect(rule({ command: part.repeat(length / part.length) })).toBeNull())
    expect(judged(40 * KIB)).toBeLessThan(4.2 * judged(10 * KIB) + KIB)
  })
})

describe('[POL-4] a path that a program tidies before it opens it', () => {
  it.each([' ', '\n', ...SPACES.slice(0, 7)])('[A42] is found with %j around it', (space) => {
    symlinkSync(own, path.join(cwd, 'link'))
    for (const name of ['link/identity.json', path.join(own, 'identity.json'), '../own/identity.json']) {
      expect(rule({ file_path: `${space}${name}` })).toBe('agentHome')
      expect(rule({ file_path: `${space}${name}${space}` })).toBe('agentHome')
    }
    expect(rule({ anything: `${space}${own}/identity.json` })).toBe('agentHome')
    expect(rule({ anything: `${space}text about ${own}` })).toBeNull()
  })

  it('[A42] is found with its accents apart', () => {
    symlinkSync(own, path.join(cwd, 'é'.normalize('NFC')))
    expect(rule({ file_path: `${'é'.normalize('NFD')}/identity.json` })).toBe('agentHome')
    symlinkSync(own, path.join(cwd, 'ü'.normalize('NFD')))
    expect(rule({ file_path: `${'ü'.normalize('NFC')}/identity.json` })).toBe('agentHome')
  })

  it.each([' FILE', '\u0001FILE', 'FILE\n', 'fi\nle:OWN/identity.json', 'file:\\\\OWN\\identity.json'])(
    '[A42] is found in an address as a browser reads it: %j',
    (written) => {
      const url = written.replace('FILE', `file://${own}/identity.json`).replace('OWN', own)
      expect(new URL(url.replaceAll('\\\\/', '/')).pathname).toBe(`${own}/identity.json`)
      expect(rule({ url })).toBe('agentHome')
    },
  )

  it('is read in a time that grows with its length only', () => {
    const long = ' '.repeat(2_000_000)
    expect(rule({ file_path: `x${long}x`, content: `file:${long}x` })).toBeNull()
  })
})
