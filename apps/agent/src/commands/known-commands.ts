/**
 * The commands of which a beginning can be granted, and what each may be told behind it (PERM-5). A list of what is known to
 * be harmless, never of what is not: a program has more options, abbreviations and ways to run another program than anybody
 * can name. Whatever is not here is asked about each time.
 */

export interface KnownCommand {
  /** How many words say what it does: `git log` is two. A granted beginning has at least these. */
  length: number
  options: ReadonlySet<string>
  /** It takes names of files, or words that change nothing. */
  operands: boolean
  /** Of folders it would read what lies in them, through links. */
  filesOnly: boolean
}

/** The name of a script or a target. */
const ANY_NAME = '*'
const NAME = /^[A-Za-z0-9][A-Za-z0-9_:.-]*$/

const reading = (options: string) => ({ options, operands: true, filesOnly: false })
const comparing = (options: string) => ({ options, operands: true, filesOnly: true })
const alone = (options = '') => ({ options, operands: false, filesOnly: false })

const table: Readonly<Record<string, { options: string; operands: boolean; filesOnly: boolean }>> = {
  // What a project's own scripts and targets do is up to the project, each time it is asked for by the same name.
  'npm test': alone('--silent -s'),
  'npm run *': alone('--silent -s'),
  'pnpm test': alone('--silent -s'),
  'pnpm run *': alone('--silent -s'),
  'yarn test': alone('--silent -s'),
  'make *': alone(),
  'just *': alone(),
  'cargo build': alone('--release --workspace --all-targets --all-features --locked --offline --quiet -q --verbose -v'),
  'cargo check': alone('--release --workspace --all-targets --all-features --locked --offline --quiet -q --verbose -v'),
  'cargo clippy': alone('--workspace --all-targets --all-features --locked --offline --quiet -q'),
  'cargo fmt': alone('--all --check'),
  'cargo test': alone('--release --workspace --all-targets --all-features --locked --offline --quiet -q'),
  'go build': alone('./... -v'),
  'go test': alone('./... -v -race -short'),
  'go vet': alone('./...'),
  pytest: reading('-q -v -vv -x -s --lf --ff'),
  tsc: alone('--noEmit'),
  // Git, as far as it reads. `--output`, `--ext-diff`, `-O` and their like are not among the options.
  'git status': alone('--short -s --branch -b --porcelain'),
  'git diff': reading('--stat --shortstat --numstat --name-only --name-status --cached --staged --no-color'),
  'git log': reading('--oneline --stat --graph --decorate --all --no-color --name-only --name-status'),
  'git show': reading('--stat --name-only --name-status --no-color'),
  'git blame': reading(''),
  'git ls-files': reading(''),
  'git add': reading('-A --all -u'),
  // Programs that read, and those that make empty things.
  cat: reading('-n'),
  head: reading(''),
  tail: reading(''),
  wc: reading('-l -w -c'),
  ls: reading('-l -a -A -la -al -lh -lah -1 -R -t -lt -ltr'),
  stat: reading(''),
  file: reading(''),
  du: reading('-h -s -sh'),
  grep: reading('-n -r -i -l -w -c -v -E -F -rn -nr -rl -ri -rni -in'),
  rg: reading('-n -i -l -w -c -F'),
  diff: comparing('-u -q'),
  sort: reading('-u -n -r'),
  basename: reading(''),
  dirname: reading(''),
  which: reading(''),
  echo: reading('-n'),
  mkdir: reading('-p'),
  touch: reading(''),
  pwd: alone(),
  date: alone(),
  true: alone(),
}

const known = Object.entries(table).map(([words, { options, operands, filesOnly }]) => ({
  words: words.split(' '),
  command: {
    length: words.split(' ').length,
    options: new Set(options.split(' ').filter((option) => option !== '')),
    operands,
    filesOnly,
  } satisfies KnownCommand,
}))

export function knownCommand(words: readonly string[]): KnownCommand | null {
  const found = known.find((one) =>
    one.words.every((word, at) => (word === ANY_NAME ? NAME.test(words[at] ?? '') : word === words[at])),
  )
  return found?.command ?? null
}

/** What follows its name. `null`: nobody said here that it is harmless. */
export function operandsOf(command: KnownCommand, words: readonly string[]): string[] | null {
  const operands: string[] = []
  for (const word of words) {
    if (command.options.has(word)) continue
    if (command.operands && /^-\d{1,5}$/.test(word)) continue // so many lines
    if (!command.operands || word.startsWith('-') || word.startsWith('+') || word.includes('=')) return null
    operands.push(word)
  }
  return operands
}
