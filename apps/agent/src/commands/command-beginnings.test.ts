import { describe, expect, it } from 'vitest'
import { operandsBehind } from './command-beginnings'
import { ownBeginnings, suggestedBeginnings } from './offered-beginnings'

const covers = (beginning: string, command: string) => operandsBehind([beginning.split(' ')], command) !== null

describe('a grant of commands that begin with `npm test`', () => {
  it.each([
    'npm test',
    'npm test --watch',
    '  npm   test -- --grep "a; b"  ',
    "npm test 'one file.ts'",
    'npm test; npm test --all',
    'npm test && npm test a;',
    'npm test 2>&1',
    'npm test >/dev/null 2>&1',
    'npm test 2> /dev/null',
    'npm test\n',
  ])('[PERM-5] covers %j', (command) => {
    expect(covers('npm test', command)).toBe(true)
  })

  it.each([
    // Another command beside it.
    'npm test; curl y',
    'npm test;curl y',
    'curl y; npm test',
    'npm test && curl y',
    'npm test || curl y',
    'npm test | sh',
    'npm test |& sh',
    'npm test & curl y',
    'npm test &',
    'npm test\ncurl y',
    'npm test \\\n; curl y',
    'npm test\rcurl y',
    'npm test ;; curl y',
    '; npm test',
    'npm test # a note',
    // Something else inside it.
    'npm test $(curl y)',
    'npm test `curl y`',
    'npm test "$(curl y)"',
    'npm test $X',
    'npm test "$X"',
    `npm test $${'{X}'}`,
    'npm test <(curl y)',
    'npm test >(sh)',
    'npm test < file',
    'npm test <<X\ncurl y\nX',
    'npm test <<< y',
    '(npm test)',
    '{ npm test; }',
    '! npm test',
    'npm test *.ts',
    'npm test ~/x',
    'npm test {a,b}',
    'npm test "!x"',
    // It writes to a file.
    'npm test > out',
    'npm test >> out',
    'npm test 2> err',
    'npm test &> out',
    'npm test >| out',
    'npm test > /dev/nullx',
    'npm test > "/dev/null/../../x"',
    'npm test >&3',
    'npm test >',
    // Another program, or another spelling of the same one.
    'npm testx',
    'npm tes',
    'npm test-all',
    'npm test:all',
    'npmx test',
    'npm',
    'npm run test',
    'npm --prefix /x test',
    'NPM test',
    './npm test',
    '/usr/bin/npm test',
    '"npm" test',
    "npm 'test'",
    'n\\pm test',
    'np""m test',
    '\\npm test',
    'npm\u00a0test',
    'npm\u2003test',
    'nрm test',
    'npm test\u200b',
    // Its surroundings are others.
    'CI=1 npm test',
    'PATH=. npm test',
    'env npm test',
    'sudo npm test',
    'xargs npm test',
    'time npm test',
    'nohup npm test',
    'command npm test',
    'exec npm test',
    "sh -c 'npm test'",
    'bash -lc "npm test"',
    'eval npm test',
    'cd /x && npm test',
    'cd ..; npm test',
    'npm test --prefix /x',
    'npm test --prefix=sub',
    'npm test -C sub',
    'npm test -Csub',
    'npm test --script-shell=./evil',
    'npm test --node-options=--import=./evil.mjs',
    '',
    '   ',
    `npm test ${'a'.repeat(20_000)}`,
  ])('[PERM-5] does not cover %j', (command) => {
    expect(covers('npm test', command)).toBe(false)
  })

  it('[PERM-5] an empty beginning covers nothing', () => {
    expect([operandsBehind([[]], 'npm test'), operandsBehind([], 'npm test')]).toEqual([null, null])
  })

  it('[PERM-5] each simple command of a line is covered by itself, by any of the beginnings', () => {
    const both = [
      ['npm', 'test'],
      ['npm', 'run', 'lint'],
    ]
    expect(operandsBehind(both, 'npm run lint a && npm test b')).toEqual(['a', 'b'])
    expect(operandsBehind(both, 'npm run lint && npm run deploy')).toBe(null)
  })
})

describe('the beginning that is offered', () => {
  it.each([
    ['npm test', ['npm test']],
    ['npm test -- --grep a', ['npm test']],
    ['npm run lint --fix', ['npm run lint']],
    ['pnpm exec vitest run', ['pnpm exec vitest']],
    ['npx vitest run a.ts', ['npx vitest']],
    ['npm install left-pad', ['npm install']],
    ['git status --short', ['git status']],
    ['cargo test', ['cargo test']],
    ['ls -la src', ['ls']],
    ['echo hello', ['echo']],
    ['tsc --noEmit', ['tsc']],
    ['npm test && npm run lint', ['npm test', 'npm run lint']],
    ['npm test a; npm test b', ['npm test']],
  ])('[PERM-5] of %j is %j', (command, beginnings) => {
    expect(ownBeginnings(command)?.map((one) => one.join(' '))).toEqual(beginnings)
  })

  it.each([
    ...['npm', 'npm --version', 'git -C /x status', 'npm run', 'npm run "x y"', './run.sh', 'X=1 npm test'],
    ...[
      'sudo npm test',
      'env npm test',
      'sh -c ls',
      'bash run.sh',
      'xargs ls',
      'find . -name x',
      'python3 a.py',
      'node a.js',
    ],
    ...['rm -r build', 'mv a b', 'curl https://x', 'cd sub', 'pnpm exec sh x', 'npx node x', 'uv run python a.py'],
    ...['npm test > out', 'npm test | tail', 'npm test; rm x', 'ls; cat $X', 'ls a; date; wc b; head c', ''],
    ...['exit', 'time ls', 'docker run x', 'awk x', 'npm test --prefix sub'],
  ])('[PERM-5] of %j is none', (command) => {
    expect(ownBeginnings(command)).toBe(null)
  })

  it('[PERM-5] by a suggestion of the program is one only where it covers the command and may be said here', () => {
    const suggest = (suggested: string[][], command: string) => suggestedBeginnings(suggested, command)
    expect(suggest([['touch', 'a.txt']], 'touch a.txt')).toEqual([['touch', 'a.txt']])
    expect(suggest([['npm', 'run']], 'npm run lint')).toEqual([['npm', 'run']])
    expect(suggest([['npm']], 'npm run lint')).toBe(null)
    expect(suggest([['touch']], 'ls')).toBe(null)
    expect(suggest([['echo', 'hi']], 'echo hi > file.txt')).toBe(null)
    expect(suggest([['/bin/bash', '-lc', 'echo hi']], "/bin/bash -lc 'echo hi'")).toBe(null)
    expect(suggest([['bash']], 'bash x')).toBe(null)
    expect(suggest([['npm', 'exec']], 'npm exec sh')).toBe(null)
    expect(suggest([], 'ls')).toBe(null)
  })
})
