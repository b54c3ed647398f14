import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deniedBy } from './denied'
import { doubtsOf } from './doubts'

let root: string
let cwd: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-doubts-')))
  cwd = path.join(root, 'user/code/app')
  for (const folder of ['user/.agent/config', 'user/code/app/sub', 'user/code/secret']) {
    mkdirSync(path.join(root, folder), { recursive: true })
  }
  writeFileSync(path.join(root, 'user/.agent/config/policy.json'), '{}')
})
afterEach(() => rmSync(root, { recursive: true }))

const action = (command: string) => ({ tool: 'Bash', input: { command }, cwd })
const rules = () => ({
  agentPlaces: [path.join(root, 'user/.agent')],
  denyPaths: [path.join(root, 'user/code/secret')],
})
const doubts = (command: string) => doubtsOf(action(command), rules())
const rule = (command: string) => deniedBy(action(command), rules())

describe('[PERM-5.32] a line of the prompt says what a check of names cannot settle', () => {
  it.each([
    'rm -rf ../..',
    'cd ../.. && ls',
    'tar c ROOT/user',
    'find / -name x',
    'ls ROOT',
    'ls -I../../',
    'ls ../*/..',
  ])('[POL-4.7] a folder around the agent’s own files: %s', (command) => {
    const lines = doubts(command.replaceAll('ROOT', root))
    expect(lines.join()).toMatch(/holds the agent's own files|can match what is denied/)
    expect(rule(command.replaceAll('ROOT', root))).toBeNull()
  })

  it.each([
    'ls',
    'cd .. && ls',
    'ls *.ts sub/**/*.js',
    'ls src/',
    'sed s/a// x',
    'cat ./a/b',
    'git log a..b',
    'ls ../app/?',
  ])('none for %s', (command) => {
    expect(doubts(command)).toEqual([])
  })

  it('a variable, a substitution, a pattern that can meet what is denied, more folders than are looked into', () => {
    expect(doubts('cat $FILE `x` $(y) $Z')).toEqual([
      'Not known before it runs: $FILE, `x`, $(y) and 1 more. What that names cannot be checked.',
    ])
    expect(doubts('ls ../../*/config')).toEqual(['It can match what is denied by name here: ../../*/config.'])
    expect(doubts('cat ../s*/../x')[0]).toMatch(/can match/)
    for (let i = 0; i < 20; i++) mkdirSync(path.join(cwd, `d${i}`))
    expect(doubts(`ls ${Array.from({ length: 20 }, (_, i) => `d${i}`).join(' ')}`)[0]).toMatch(/more folders/)
    expect(doubtsOf(action('cat $FILE'), {})).toEqual([])
  })

  it('[POL-4] [A42] a pattern that a shell turns into a denied place is refused', () => {
    for (const command of ['cat ../../.ag*/config/x', 'ls ../../.*/', `cat ${root}/us?r/.agen[t]/config/policy.json`])
      expect([command, rule(command)]).toEqual([command, 'agentHome'])
    for (const command of ['cat ../s*/x', 'cat ../{secret,other}/x', 'cat ../sec?et'])
      expect([command, rule(command)]).toEqual([command, 'denyPaths'])
    expect(rule('ls ../app*')).toBeNull()
  })

  it('[POL-4] [A42] a folder is known by what it is, also under another name', () => {
    symlinkSync(path.join(root, 'user/.agent'), path.join(cwd, 'link'))
    expect(rule('cat link/config/new')).toBe('agentHome')
    expect(rule(`cat /proc/self/root${root}/user/.agent/config/policy.json`)).toBe('agentHome')
  })
})
