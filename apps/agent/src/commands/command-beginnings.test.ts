import { describe, expect, it } from 'vitest'
import { operandsBehind } from './command-beginnings'
import { ownBeginnings, suggestedBeginnings } from './offered-beginnings'

const covers = (beginning: string, command: string) => operandsBehind([beginning.split(' ')], command) !== null

describe('a grant of commands that begin with `npm test`', () => {
  it.each([
    'npm test',
    'npm test --silent',
    '  npm   test   -s ',
    'npm test; npm test --silent',
    'npm test && npm test;',
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
    // What the project's script would be told.
    'npm test --watch',
    'npm test -- --grep a',
    "npm test 'one file.ts'",
    'npm test --script-shel ./evil2.sh',
    'npm test --prefi sub',
    'npm test --userconfig=evil.npmrc',
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

  it('[PERM-5.16] an empty beginning covers nothing', () => {
    expect([operandsBehind([[]], 'npm test'), operandsBehind([], 'npm test')]).toEqual([null, null])
  })

  it('[PERM-5.16] each simple command of a line is covered by itself, by any of the beginnings', () => {
    const both = [
      ['npm', 'test'],
      ['npm', 'run', 'lint'],
    ]
    expect(operandsBehind(both, 'npm run lint && npm test')).toEqual([])
    expect(operandsBehind(both, 'npm run lint && npm run deploy')).toBe(null)
  })
})

describe('a grant of a command that takes names', () => {
  const operands = (beginning: string, command: string) => operandsBehind([beginning.split(' ')], command)

  it.each([
    ['cat', 'cat -n a.txt "b c"', ['a.txt', 'b c']],
    ['head', 'head -20 a', ['a']],
    ['mkdir', 'mkdir -p one two', ['one', 'two']],
    ['git log', 'git log --oneline -5 src', ['src']],
    ['touch a.txt', 'touch a.txt b', ['a.txt', 'b']],
  ])('[PERM-5.20] %s covers %j, and its names are looked at', (beginning, command, names) => {
    expect(operands(beginning, command)).toEqual(names.map((word) => ({ word, isFile: false })))
  })

  it('[PERM-5.20] diff takes files only: of folders it compares what lies in them, through links', () => {
    expect(operands('diff', 'diff -u one two')).toEqual(['one', 'two'].map((word) => ({ word, isFile: true })))
  })

  it.each([
    ['git log', "git log -1 -s '--format=x' --output .gitattributes"],
    ['git log', 'git log -p'],
    ['git diff', 'git diff --ext-dif'],
    ['git diff', 'git diff --no-index a b'],
    ['git grep', 'git grep -Osh x evil.sh'],
    ['git ls-remote', "git ls-remote --upload-pac 'touch x' ."],
    ['git push', 'git push --force'],
    ['git', 'git log'],
    ['make test', 'make test -f evil.mk'],
    ['make test', 'make test SHELL=./evil.sh'],
    ['make test', 'make test deploy'],
    ['make test', 'make deploy'],
    ['npm run lint', 'npm run deploy'],
    ['go vet', 'go vet -vettool ./evil'],
    ['rg', 'rg --pre ./evil foo'],
    ['sort', 'sort -o out a'],
    ['sort', 'sort --compress-program ./evil a'],
    ['cargo test', 'cargo test --config \'build.rustc-wrapper="./evil"\''],
    ['pytest', 'pytest -p evil'],
    ['touch a.txt', 'touch b.txt'],
    ['cat', 'cat -- -n'],
    ['flock', 'flock a sh evil'],
    ['rbash', 'rbash -c x'],
  ])('[PERM-5.19] [PERM-5.21] %s does not cover %j', (beginning, command) => {
    expect(operands(beginning, command)).toBe(null)
  })
})

describe('the beginning that is offered', () => {
  it.each([
    ['npm test', ['npm test']],
    ['npm run lint', ['npm run lint']],
    ['pnpm run lint:all --silent', ['pnpm run lint:all']],
    ['git status --short', ['git status']],
    ['cargo test', ['cargo test']],
    ['make check', ['make check']],
    ['ls -la src', ['ls']],
    ['echo hello', ['echo']],
    ['tsc --noEmit', ['tsc']],
    ['npm test && npm run lint', ['npm test', 'npm run lint']],
    ['npm test; npm test', ['npm test']],
  ])('[PERM-5] of %j is %j', (command, beginnings) => {
    expect(ownBeginnings(command)?.map((one) => one.join(' '))).toEqual(beginnings)
  })

  it.each([
    ...['npm', 'npm --version', 'git -C /x status', 'npm run', 'npm run "x y"', './run.sh', 'X=1 npm test'],
    ...['sudo npm test', 'env npm test', 'sh -c ls', 'bash run.sh', 'xargs ls', 'find . -name x', 'python3 a.py'],
    ...['rm -r build', 'mv a b', 'curl https://x', 'cd sub', 'pnpm exec sh x', 'npx node x', 'uv run python a.py'],
    ...['npm test > out', 'npm test | tail', 'npm test; rm x', 'ls; cat $X', 'ls a; date; wc b; head c', ''],
    ...['exit', 'time ls', 'docker run x', 'awk x', 'npm test --prefix sub', 'npm install left-pad', 'npx vitest run'],
    ...['nodejs x', 'yarn node x.js', 'deno eval x', 'fakeroot ls', 'gh api x', 'git push', 'git clean -n'],
    ...['git reset a', 'git config a b', 'git submodule foreach x', 'git rebase main', 'hyperfine ls', 'mise exec x'],
  ])('[PERM-5] of %j is none', (command) => {
    expect(ownBeginnings(command)).toBe(null)
  })

  it('[PERM-5.11] by a suggestion of the program is one only where it covers the command and may be said here', () => {
    const suggest = (suggested: string[][], command: string) => suggestedBeginnings(suggested, command)
    expect(suggest([['touch', 'a.txt']], 'touch a.txt')).toEqual([['touch', 'a.txt']])
    expect(suggest([['npm', 'run', 'lint']], 'npm run lint')).toEqual([['npm', 'run', 'lint']])
    for (const [suggested, command] of [
      [['npm', 'run'], 'npm run lint'],
      [['npm'], 'npm run lint'],
      [['touch'], 'ls'],
      [['echo', 'hi'], 'echo hi > file.txt'],
      [['/bin/bash', '-lc', 'echo hi'], "/bin/bash -lc 'echo hi'"],
      [['bash'], 'bash x'],
      [['npm', 'exec'], 'npm exec sh'],
      [['git', '-c'], "git -c 'alias.x=!curl x' x"],
      [['npx', '-y'], 'npx -y anything'],
      [['npm', '--silent'], 'npm --silent exec -- sh'],
      [['make', '-s'], 'make -s -f evil.mk'],
    ] as const)
      expect(suggest([[...suggested]], command)).toBe(null)
    expect(suggest([], 'ls')).toBe(null)
  })
})
