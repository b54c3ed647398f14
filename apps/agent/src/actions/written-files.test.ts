// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell
import { describe, expect, it } from 'vitest'
import { withoutTargets } from './written-files'

const targets = (command: unknown) => withoutTargets({ command }).targets

describe('[PERM-8.10] what a plain command writes to', () => {
  it.each([
    ['echo a >> log', 'echo a >> ', ['log']],
    ['echo a>log 2>err', 'echo a > 2> ', ['log', 'err']],
    ['date >>"all of it" && cat x', 'date >>  && cat x', ['all of it']],
    ['echo > log a', 'echo >  a', ['log']],
    ["echo '*.sh' \"it's [ ] #\" 'é' >> log 2>&1", "echo '*.sh' \"it's [ ] #\" 'é' >>  2>&1", ['log']],
    ['printf "%s\\n" a >> log;', 'printf "%s\\n" a >>  ;', ['log']],
    ["printf 'a 100%%\\n' >> log", "printf 'a 100%%\\n' >> ", ['log']],
    ['date +%s >> logs/a.txt 2>/dev/null\n', 'date +%s >>  2> /dev/null', ['logs/a.txt']],
    ['mkdir -p logs && date -u >> logs/a', 'mkdir -p logs && date -u >> ', ['logs/a']],
    ["bash -lc 'echo a >> log'", "bash -lc 'echo a >> '", ['log']],
    [['/bin/bash', '-lc', "echo 'a b' >> log"], ['/bin/bash', '-lc', "echo 'a b' >> "], ['log']],
  ])('is taken away: %j', (command, left, names) => {
    const { input, targets } = withoutTargets({ command, timeout: 5 })
    const shown = (value: unknown) => JSON.stringify(value).replace(/ +/g, ' ').replaceAll(" '", "'")
    expect(shown(input)).toBe(shown({ command: left, timeout: 5 }))
    expect(targets).toEqual(names)
  })

  it.each(['echo a >> log; tail -n 1 log', 'date >> log && wc -l log && cat log', 'cat log; echo "log" >> log'])(
    'is taken away at this one place, where it is printed as well: %s',
    (command) => {
      expect(targets(command)).toEqual(['log'])
      expect(JSON.stringify(withoutTargets({ command }).input)).toMatch(/\blog\b/)
    },
  )

  it.each([
    // It runs, or reads, what it names.
    'sh run.sh >> log',
    'cat < run.sh > run.sh',
    'cat a >> log',
    'echo x 1<> run.sh',
    'echo x | cat >> log',
    'make >> log',
    'cat *.sh; echo >> log',
    'cat ~/x; echo >> log',
    'cat "$it"; echo >> log',
    'wc --files0-from=list; echo >> log',
    'date -f run.sh >> log',
    'grep -r x . >> log',
    'for f in a; do echo a >> log; done',
    'cat() ( sh a; ); echo >> log',
    'PATH=. echo >> log',
    'alias date=./log; date >> log',
    "'cat' a; echo >> log",
    './cat log; echo >> log',
    // Streams of the process are opened anew, for reading as well.
    "bash -c 'sh /dev/fd/199 199>>run.sh'",
    'sh /dev/stdout >> run.sh',
    'cat /dev/stdout >> run.sh',
    'cat /proc/thread-self/fd/1; echo >> run.sh',
    'cat ../../dev/fd/1; echo >> run.sh',
    'echo x >> /dev/fd/3',
    'echo x >> /proc/self/fd/3',
    'exec 3>>run.sh; cat /dev/fd/3',
    // Signs that a shell puts together.
    'sh <\\\n>run.sh',
    'cat <\\\n>run.sh',
    'echo a >\\\n> run.sh',
    'echo \\> run.sh',
    'echo a\necho b >> log',
    'echo a\r>> log',
    'echo\u00a0a >> log',
    'echo a >> l\u00a0og',
    'echo "\u00a0" >> log',
    // What only seems to print.
    'printf -v BASH_CMDS[cat] ./run.sh; echo >> run.sh; cat',
    'printf -v PATH .; echo >> date; date',
    "printf '%d' 'PATH=5' >> log",
    'date >> date; date',
    'echo a >> log; cat log >&2.sh',
    'echo a >> log; cat log >& copy.sh',
    'echo a >> log; cat log > copy.sh',
    'cd a; date >> run.sh; cd ../b; cat ../a/run.sh > run.sh',
    'echo a >> run.sh; cat5> run.sh',
    'echo a >> 5',
    'echo a >! log',
    'echo a >| log',
    'echo a &> log',
    'echo a >> log &',
    'echo a >> log || cat log',
    'echo a > >(sh run.sh)',
    'echo a > $(sh run.sh)',
    'echo a > `sh run.sh`',
    'echo "`sh run.sh`" >> log',
    'echo "$(sh run.sh)" >> log',
    'echo =date >> log; cat =date',
    'echo a > b > "$c"',
    'echo a > =date',
    'echo a >> {a,b}',
    'echo a # > log',
    'cat >> log <<X\na\nX',
    'cat <<< a >> log',
    'echo a >>',
    '>> log',
    '; echo a >> log',
    'echo a ;; echo b >> log',
    'echo a >> log && ',
    "bash -lc 'echo a >> log' x",
    "bash -lc 'echo a >> log'; sh log",
    'python <<X\nopen(1 >run.py)\nX',
  ])('stays in any other command: %j', (command) => {
    expect(withoutTargets({ command })).toEqual({ input: { command }, targets: [] })
  })

  it('is not looked for in what is no single command', () => {
    for (const input of [
      null,
      'echo > a',
      { command: 'echo > b', script: 'echo > d' },
      { command: 'echo > b', args: ['c'] },
      { argv: ['echo', '>', 'b'] },
      { command: ['', 'bash -c', 'echo > b'] },
      { command: ['bash', '-c', 'echo > b', 'c'] },
    ])
      expect(withoutTargets(input)).toEqual({ input, targets: [] })
  })
})
