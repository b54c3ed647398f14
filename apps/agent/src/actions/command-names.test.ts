// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell
import os from 'node:os'
import { describe, expect, it } from 'vitest'
import { namesOfCommand } from './command-names'
import { ANY, ONE } from './shell-meaning'

const home = os.homedir()
const read = (command: unknown) => namesOfCommand({ command }, '/code')
const names = (command: unknown) => read(command).words
const patterns = (command: unknown) =>
  read(command).patterns.map((name) => name.replaceAll(ANY, '*').replaceAll(ONE, '?'))

describe('[PERM-8] the names in a command', () => {
  it.each([
    ['a word', 'cat /a/b', '/a/b'],
    ['quotes', `cat "/a/b c" '/d e'`, '/a/b c'],
    ['quotes in the middle', `cat /a/"b"c/'d'\\e`, '/a/bc/de'],
    ['quoted letters by their number', "cat $'/a/\\x62\\143'", '/a/bc'],
    ['a folder of a flag', 'tar -C/a/b x', '/a/b'],
    ['a file of a flag', 'make -fdir/file', 'dir/file'],
    ['a file behind several flags', 'tar -xzfdir/a.tgz', 'dir/a.tgz'],
    ['a long flag', 'x --file=/a/b', '/a/b'],
    ['a file of arguments', 'x @/a/b', '/a/b'],
    ['a field of a form', 'curl -F key=@/a/b;type=x', '/a/b'],
    ['a body', 'curl -d@/a/b', '/a/b'],
    ['what is read from', 'sort </a/b', '/a/b'],
    ['what is written to', 'x 2>/a/b', '/a/b'],
    ['what is added to', 'x >>/a/b', '/a/b'],
    ['a mount', 'docker run -v/a/b:/c', '/a/b'],
    ['a list of folders', 'x /c:/a/b:/d', '/a/b:/d'],
    ['the folder of the command', 'cat $PWD/../x', '/code/../x'],
    ['the same in brackets and quotes', 'cat "${PWD}/x"', '/code/x'],
    ['the home', 'cat $HOME/x', `${home}/x`],
    ['the home in brackets', 'cat "${HOME}"/x', `${home}/x`],
    ['the home in short', 'cat ~/x', `${home}/x`],
    ['the home of an assignment', 'A=~/x cmd', `${home}/x`],
    ['the home of a user', 'cat ~root/x', '/root/x'],
    ['alternatives', 'cat /a/{b,c}/d', '/a/c/d'],
    ['a command in a command', `sh -c 'cat "/a/b c"'`, '/a/b c'],
    ['a command of a substitution', 'echo $(cat "/a/b c")', '/a/b c'],
    ['the same in backticks', 'echo `cat "/a/b c"`', '/a/b c'],
    ['a substitution in quotes', 'echo "x $(cat \'/a/b c\')"', '/a/b c'],
    ['a process', 'diff <(cat "/a/b c") x', '/a/b c'],
    ['a document for a shell', 'bash <<EOF\ncat "/a/b c"\nEOF', '/a/b c'],
    ['a substitution in a document', 'cat <<EOF\n$(cat "/a/b c")\nEOF', '/a/b c'],
    ['a list of arguments', ['bash', '-lc', 'cat "/a/b c"'], '/a/b c'],
    ['an argument', ['cat', '/a/b c'], '/a/b c'],
  ])('%s', (_what, command, name) => {
    expect(names(command)).toContain(name)
  })

  it.each([
    ['a variable', 'cat $FILE', ['$FILE']],
    ['a part of one', 'cat ${FILE%.x}', ['${FILE%.x}']],
    ['a variable in quotes', 'cat "/a/$FILE"', ['$FILE']],
    ['the output of a command', 'cat $(pwd)/x', ['$(pwd)']],
    ['the same in backticks', 'cat `pwd`/x', ['`pwd`']],
    ['the home of nobody', 'cat ~nobody-of-this-name/x', ['~nobody-of-this-name']],
    ['the folder before', 'cat ~-/x', ['~-']],
    ['a home that the command changes', 'HOME=/a; cat ~/x $HOME', ['~', '$HOME']],
    ['a way out of the temporary files', 'cat $TMPDIR/../x', ['$TMPDIR']],
    ['a variable of a command in a command', "sh -c 'cat $1' x /a", ['$1']],
    ['what any process sees', 'cat /proc/$$/root/x', ['/proc/$$/root/x']],
    ['a pattern that only some shells know', 'cat /a/(b|c)d', ['(b|c)']],
  ])('what is not known: %s', (_what, command, unknown) => {
    expect(read(command).unknown).toEqual(unknown)
  })

  it.each([
    ['a quoted sign', "awk '{print $1}' x"],
    ['an escaped sign', 'echo \\$FILE'],
    ['a number', 'echo $? $# $(( $A + 1 ))'],
    ['a comment', 'ls # $FILE `x`'],
    ['text for a program', "cat > x <<'EOF'\n$FILE `x` $(y)\nEOF\nls"],
    ['a document as a message', 'git commit -m "$(cat <<\'EOF\'\nFix $FILE\nEOF\n)"'],
    ['temporary files', 'ls $TMPDIR/x'],
    ['a sign at the end of quotes', 'grep "x$" y'],
    ['a function', 'f() { ls; }; f'],
    ['a list', 'a=(1 2); ls'],
    ['a test', '[ -f x ] && [[ -d y ]]'],
  ])('nothing is unknown in %s', (_what, command) => {
    expect(read(command).unknown).toEqual([])
  })

  it('keeps patterns apart, and knows what a quote makes of them', () => {
    expect(patterns('ls src/*.ts [ab]/? "x*"')).toEqual(['src/*.ts', '?/?'])
    expect(patterns('echo {1..3}')).toEqual(['*'])
  })

  it('ends whatever a command is made of', () => {
    for (const part of ['$(', '`', '"', "'", '{', '${', '(', '[', '<<', '\\', '{a,', '$'])
      expect(read(part.repeat(20_000))).toBeDefined()
    expect(read(`echo ${'{a,b}'.repeat(20)}`).unknown).toHaveLength(1)
  })

  const within = (depth: number, inner: string, around: (text: string) => string): string =>
    depth === 0 ? inner : around(within(depth - 1, inner, around))

  it.each([
    ['spaces of other kinds', within(4, `ls \u00a0\v\f\r${'a b '.repeat(128)}`, (text) => `echo $(${text})`)],
    ['alternatives', within(5, 'ls a', (text) => `echo {a,b,c,d,e,f,g,h}$(${text})`)],
    ['alternatives of a long word', `ls {${'a,'.repeat(60)}}${'b'.repeat(100_000)}`],
    [
      'broken lines',
      within(6, `ls ${'a b '.repeat(512)}`, (text) => `sh <<X${text.length}\n \\\n\u00a0${text}\nX${text.length}`),
    ],
  ])('[PERM-5.32] what is made of %s is read a few times, and then not known', (_what, command) => {
    const { words, unknown } = read(command)
    expect(words.length).toBeLessThan(40_000)
    expect(words.join('').length).toBeLessThan(1_000_000)
    expect(unknown.length).toBeGreaterThan(0)
  })

  it('nothing is unknown in what a person types, also in other spaces and a few commands deep', () => {
    const inner = `find src -name "a\u00a0b" \\\n  -type f`
    expect(read(`sh -c 'cd src && sh -c "${inner.replaceAll('"', '')}"'`).unknown).toEqual([])
    expect(read(`bash <<X\n${`${inner}\n`.repeat(200)}X`).unknown).toEqual([])
    expect(read(`ls ${'a b '.repeat(60_000)}`).unknown).toEqual([])
  })
})
