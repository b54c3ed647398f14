/**
 * Commands that only read, as far as their words tell. Pure. A list of what is known to be harmless, never of what is not: a
 * command, an option or a spelling that is not here makes the whole line one that a person is asked about. What the named files
 * really are is looked at by `actions/reads-only.ts`.
 */
import { type SimpleCommand, simpleCommandsOf } from './simple-commands'

export interface ReadingCommand {
  /** The commands behind it run in this folder, or stay where they were: a `cd` may fail, and one in a pipe moves nobody. */
  cd?: string
  /** It makes a folder or an empty file. */
  makes?: boolean
  /** It moves or copies: what is read behind it may be another file by then. */
  moves?: boolean
  /** It reads files; of folders it would read what lies in them, through links. */
  filesOnly?: boolean
  /** Files whose content it prints, or folders whose names it lists. */
  paths: readonly string[]
  /** It prints what lies below its folders. Links are not followed. */
  isDeep?: boolean
  /** It runs what the repository's own configuration says. */
  isGit?: boolean
}

/** Null unless each command of the line is known here. `changing`: those that make, move or copy files count as well. */
export function readingCommandsOf(text: string, { changing = false } = {}): ReadingCommand[] | null {
  const commands = simpleCommandsOf(text, { pipes: true })?.map((command) => readingCommandOf(command, changing))
  return commands?.every((one) => one !== null) ? commands : null
}

/** What follows the name of the program; null where it is not known to be harmless. */
type Reading = (words: readonly string[]) => ReadingCommand | null

function readingCommandOf(command: SimpleCommand, changing: boolean): ReadingCommand | null {
  const [first, ...rest] = command
  if (first === undefined || first.quoted) return null
  const given = rest.map(({ text }) => text)
  return programs.get(first.text)?.(given) ?? (changing ? changers.get(first.text)?.(given) : null) ?? null
}

/** Options that match, each by itself; `valued` take the next word. Everything else is an operand. */
function split(words: readonly string[], options: RegExp, valued = /^$/): string[] | null {
  const operands: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (valued.test(word)) {
      at += 1
      if (words[at] === undefined || words[at]?.startsWith('-')) return null
    } else if (options.test(word)) continue
    else if (word.startsWith('-') || word.startsWith('+')) return null
    else operands.push(word)
  }
  return operands
}

const nothing: Reading = (words) => (words.length === 0 ? { paths: [] } : null)
/** Its words are text. */
const words =
  (options: RegExp): Reading =>
  (given) =>
    split(given, options) ? { paths: [] } : null
const files =
  (options: RegExp, valued?: RegExp): Reading =>
  (given) => {
    const paths = split(given, options, valued)
    return paths && { paths }
  }

/** The first operand is the pattern, unless `-e` gave one. */
function searching(options: RegExp, valued: RegExp, deep: (given: readonly string[]) => boolean): Reading {
  return (given) => {
    const operands = split(given, options, valued)
    if (operands === null) return null
    const paths = given.includes('-e') ? operands : operands.slice(1)
    return { paths, ...(deep(given) ? { isDeep: true } : {}) }
  }
}

const comparing: Reading = (given) => {
  const paths = split(given, /^-[uqwB]+$|^-U\d+$/)
  return paths && { paths, filesOnly: true }
}

/** The places come first, and the tests behind them print names. */
const find: Reading = (given) => {
  const from = given.findIndex((word) => word.startsWith('-'))
  const [paths, tests] = from < 0 ? [given, []] : [given.slice(0, from), given.slice(from)]
  const valued = /^-(?:i?name|i?path|type|maxdepth|mindepth|size|mtime|mmin|newer)$/
  const rest = split(tests, /^-(?:not|o|or|a|and|print|empty)$/, valued)
  return rest?.length === 0 ? { paths } : null
}

const gitOptions: Readonly<Record<string, RegExp>> = {
  status: /^(?:-s|--short|-b|--branch|-sb|--porcelain(?:=v[12])?|-uno|--untracked-files=(?:no|normal|all))$/,
  diff: /^(?:--stat|--shortstat|--numstat|--name-only|--name-status|--cached|--staged|--no-color|--color=never|-U\d+|-w|--)$/,
  log: /^(?:--oneline|--stat|--graph|--decorate|--all|--no-color|--name-only|--name-status|-p|--reverse|--no-merges|--follow|-n\d*|-\d+|--max-count=\d+|--since=[\w. -]+|--until=[\w. -]+|--author=[\w.@ -]+|--format=[\w%. :-]+|--pretty=[\w%. :-]+|--)$/,
  show: /^(?:--stat|--name-only|--name-status|--no-color|--oneline|-s|--no-patch|--)$/,
  blame: /^(?:-w|-L\d+,\d+|--)$/,
  branch: /^(?:-a|--all|-r|-v|-vv|--show-current|--list)$/,
  'rev-parse': /^(?:--short|--abbrev-ref|--show-toplevel|--git-dir|--is-inside-work-tree|--verify)$/,
  'ls-files': /^(?:-o|-m|-c|--others|--modified|--exclude-standard|--)$/,
  remote: /^(?:-v|--verbose)$/,
  'rev-list': /^(?:--count|--all|-\d+|--max-count=\d+)$/,
}
/** A name behind these would make or change something. */
const gitAlone = new Set(['branch', 'remote'])

const git: Reading = ([verb = '', ...given]) => {
  const options = Object.hasOwn(gitOptions, verb) ? gitOptions[verb] : undefined
  const operands = options && split(given, options)
  if (!operands || (gitAlone.has(verb) && operands.length > 0)) return null
  // A place outside of the repository makes `git diff` read it as a file.
  return { paths: operands, isGit: true }
}

const cd: Reading = ([folder, ...more]) =>
  folder === undefined || folder.startsWith('-') || more.length > 0 ? null : { cd: folder, paths: [folder] }

const grepValued = /^-(?:[ABCm]|e)$/
const isDeepGrep = (given: readonly string[]) => given.some((word) => /^-[a-zA-Z]*r|^--recursive$/.test(word))
const grep = searching(
  /^-(?:[nirlwcvEFPohHsqxI]+|[ABCm]\d+)$|^--(?:recursive|line-number|ignore-case|color=never|(?:include|exclude|exclude-dir)=[\w.*-]+)$/,
  grepValued,
  isDeepGrep,
)

const dateFormat = /^\+[\w%:. -]*$|^-u$|^-I[a-z]*$|^--utc$/

const programs: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ['cd', cd],
  ['pwd', nothing],
  ['true', nothing],
  ['whoami', nothing],
  // A word of another kind sets the clock.
  ['date', (given) => (given.every((word) => dateFormat.test(word)) ? { paths: [] } : null)],
  ['echo', words(/^-[neE]$/)],
  ['uname', words(/^-[asrmpv]+$/)],
  ['nproc', nothing],
  ['sleep', (given) => (given.every((word) => /^\d{1,3}(?:\.\d+)?$/.test(word)) ? { paths: [] } : null)],
  ['basename', words(/^$/)],
  ['dirname', words(/^$/)],
  ['which', words(/^-a$/)],
  ['tr', words(/^-[dsc]+$/)],
  ['ls', files(/^-[alhRtr1AFSsidp]+$|^--color=never$/)],
  ['tree', files(/^-[adfhs]+$/, /^-[LI]$/)],
  ['du', files(/^-[shacb]+$|^--max-depth=\d+$/, /^-d$/)],
  ['stat', files(/^-[L]$/)],
  ['file', files(/^-[bi]+$/)],
  ['cat', files(/^-[nAbsETv]+$/)],
  ['head', files(/^-\d+$|^-n\d+$|^-c\d+$/, /^-[nc]$/)],
  ['tail', files(/^-\d+$|^-n\+?\d+$|^-c\d+$/, /^-[nc]$/)],
  ['wc', files(/^-[lwcm]+$/)],
  ['nl', files(/^-ba$/)],
  ['sort', files(/^-[nrufVh]+$|^-k\d+(?:,\d+)?[nr]*$|^-t.$/)],
  // A second name is written to.
  ['uniq', (given) => (given.every((word) => /^-[cdui]+$/.test(word)) ? { paths: [] } : null)],
  ['cut', files(/^-[dfc].+$/, /^-[dfc]$/)],
  ['diff', comparing],
  ['md5sum', files(/^$/)],
  ['sha256sum', files(/^$/)],
  ['grep', grep],
  ['egrep', grep],
  ['fgrep', grep],
  [
    'rg',
    searching(
      /^-(?:[nilwcFSsvoNU]+|[ABCm]\d+)$|^--(?:no-heading|files-with-matches|line-number|color=never)$/,
      /^-(?:[ABCmtg]|e)$/,
      () => true,
    ),
  ],
  ['find', find],
  ['git', git],
  ['node', (given) => (given.join(' ') === '--version' || given.join(' ') === '-v' ? { paths: [] } : null)],
  ['python3', (given) => (given.join(' ') === '--version' ? { paths: [] } : null)],
])

const changing =
  (options: RegExp, change: 'makes' | 'moves'): Reading =>
  (given) => {
    const paths = split(given, options)
    return paths && paths.length > 0 ? { paths, [change]: true } : null
  }

const changers: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ['mkdir', changing(/^-p$/, 'makes')],
  ['touch', changing(/^$/, 'makes')],
  ['rmdir', changing(/^$/, 'makes')],
  ['cp', changing(/^$/, 'moves')],
  ['mv', changing(/^$/, 'moves')],
])
