/**
 * Which beginnings are worth an offer, for a command that is asked about (PERM-5). Pure. A program that runs whatever it is
 * given, or that takes away what cannot be brought back, has none: whoever allows it for a session allows everything.
 */
import { type Beginning, operandsBehind } from './command-beginnings'
import { type SimpleCommand, simpleCommandsOf } from './simple-commands'

/** More of them make no sentence. */
const MOST_BEGINNINGS = 3
const LONGEST_BEGINNING = 6
const LONGEST_WORD = 80

/** The shortest beginning of each of its simple commands that still says what it does: `npm test`, `npm run lint`, `ls`. */
export function ownBeginnings(text: string): Beginning[] | null {
  const commands = simpleCommandsOf(text)
  const beginnings = commands?.map(beginningOf) ?? []
  return beginnings.every((one) => one !== null) ? offered(beginnings, text) : null
}

/** What a program suggests, where it may be said here and covers the command. */
export function suggestedBeginnings(suggested: readonly Beginning[], text: string): Beginning[] | null {
  return suggested.every(isSafe) ? offered(suggested, text) : null
}

function offered(beginnings: readonly Beginning[], text: string): Beginning[] | null {
  const different = [...new Map(beginnings.map((one) => [one.join(' '), one])).values()]
  if (different.length === 0 || different.length > MOST_BEGINNINGS) return null
  return operandsBehind(different, text) === null ? null : different
}

function beginningOf(command: SimpleCommand): Beginning | null {
  const bare = command.findIndex(({ text, quoted }) => quoted || !VERB.test(text))
  const words = command.slice(0, bare < 0 ? undefined : bare).map(({ text }) => text)
  const [program = '', verb = ''] = words
  const takesVerbs = WITH_VERBS.has(program)
  const beginning = words.slice(0, !takesVerbs ? 1 : RUNS_A_NAME.has(verb) ? 3 : 2)
  const isWhole = !takesVerbs || beginning.length === (RUNS_A_NAME.has(verb) ? 3 : 2)
  return isWhole && isSafe(beginning) ? beginning : null
}

/** The name of a program or of what it shall do, and no option, path or assignment. */
const VERB = /^[A-Za-z0-9][A-Za-z0-9_.:+-]*$/

function isSafe(beginning: Beginning): boolean {
  return (
    beginning.length > 0 &&
    beginning.length <= LONGEST_BEGINNING &&
    beginning.every((word) => word.length <= LONGEST_WORD) &&
    VERB.test(beginning[0] ?? '') &&
    !programsIn(beginning).some((word) => EVERYTHING.test(word)) &&
    !endsBeforeItsVerb(beginning)
  )
}

/** Its own program, and the one that a launcher is told to run. */
function programsIn(beginning: Beginning): string[] {
  return beginning.filter((_word, at) => {
    const before = beginning[at - 1]
    return before === undefined || RUNS_A_NAME.has(before) || LAUNCHERS.has(before)
  })
}

/** `npm run` runs what the project names; any other launcher runs what it is told. */
function endsBeforeItsVerb(beginning: Beginning): boolean {
  const last = beginning.at(-1) ?? ''
  if (/^p?npm run$/.test(beginning.join(' '))) return false
  return RUNS_A_NAME.has(last) || (beginning.length === 1 && WITH_VERBS.has(last))
}

const LAUNCHERS: ReadonlySet<string> = new Set(['npx', 'pnpx', 'bunx', 'uvx'])

const WITH_VERBS: ReadonlySet<string> = new Set([
  ...['npm', 'pnpm', 'yarn', 'bun', 'npx', 'pnpx', 'bunx', 'corepack', 'turbo', 'nx', 'lerna', 'deno'],
  ...[
    'git',
    'gh',
    'glab',
    'hg',
    'svn',
    'jj',
    'cargo',
    'rustup',
    'go',
    'uv',
    'uvx',
    'pip',
    'pip3',
    'poetry',
    'pipenv',
    'conda',
  ],
  ...[
    'make',
    'just',
    'task',
    'gradle',
    'mvn',
    'sbt',
    'bazel',
    'cmake',
    'dotnet',
    'swift',
    'mix',
    'rake',
    'bundle',
    'gem',
  ],
  ...[
    'composer',
    'flutter',
    'dart',
    'zig',
    'stack',
    'cabal',
    'terraform',
    'helm',
    'brew',
    'apt',
    'apt-get',
    'dnf',
    'systemctl',
  ],
])

/** What follows them is the name of what runs. */
const RUNS_A_NAME: ReadonlySet<string> = new Set(['run', 'run-script', 'exec', 'x', 'dlx', 'tool'])

/** Programs that run others or any text as a program, words of the shell itself, and those that destroy or send. */
const EVERYTHING = new RegExp(
  `^(?:${[
    ...[
      '(?:ba|da|z|k|mk|a|c|tc|fi|pw)?sh',
      'busybox',
      'env',
      'sudo',
      'doas',
      'su',
      'runuser',
      'xargs',
      'parallel',
      'nohup',
    ],
    ...[
      'time',
      'timeout',
      'nice',
      'ionice',
      'setsid',
      'stdbuf',
      'chroot',
      'unshare',
      'nsenter',
      'strace',
      'ltrace',
      'gdb',
    ],
    ...[
      'watch',
      'entr',
      'find',
      'fd',
      'ssh',
      'scp',
      'sftp',
      'rsync',
      'nc',
      'ncat',
      'socat',
      'telnet',
      'script',
      'expect',
    ],
    ...[
      'eval',
      'exec',
      'command',
      'builtin',
      'source',
      'trap',
      'alias',
      'unalias',
      'export',
      'set',
      'unset',
      'declare',
    ],
    ...[
      'typeset',
      'local',
      'readonly',
      'shopt',
      'setopt',
      'hash',
      'enable',
      'cd',
      'pushd',
      'popd',
      'coproc',
      'function',
    ],
    ...[
      'if',
      'then',
      'else',
      'elif',
      'fi',
      'for',
      'while',
      'until',
      'do',
      'done',
      'case',
      'esac',
      'select',
      'in',
      'repeat',
    ],
    ...['noglob', 'nocorrect', 'exit', 'return', 'wait', 'jobs', 'fg', 'bg', 'disown', 'umask', 'ulimit', 'builtin'],
    ...['awk', 'gawk', 'mawk', 'sed', 'ed', 'ex', 'vi', 'vim', 'nvim', 'emacs', 'nano', 'less', 'more', 'man', 'tee'],
    ...[
      'python[0-9.]*',
      'pypy[0-9.]*',
      'node',
      'tsx',
      'ts-node',
      'perl',
      'ruby',
      'php',
      'lua',
      'tclsh',
      'osascript',
      'R',
    ],
    ...['Rscript', 'java', 'jshell', 'sqlite3', 'psql', 'mysql', 'docker', 'podman', 'kubectl', 'tmux', 'screen', 'at'],
    ...[
      'crontab',
      'systemd-run',
      'launchctl',
      'rm',
      'rmdir',
      'unlink',
      'shred',
      'dd',
      'mkfs.*',
      'mv',
      'cp',
      'ln',
      'install',
    ],
    ...[
      'truncate',
      'chmod',
      'chown',
      'chgrp',
      'setfacl',
      'mount',
      'umount',
      'kill',
      'killall',
      'pkill',
      'shutdown',
      'reboot',
    ],
    ...['curl', 'wget', 'tar', 'zip', 'unzip', 'gpg', 'openssl', 'patch'],
  ].join('|')})$`,
)
