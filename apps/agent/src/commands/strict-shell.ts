/**
 * A command cut into tokens by a grammar that says what it takes, not what it leaves out: one line, simple commands joined
 * by `;` or `&&`, each word written out in ASCII letters or one quoted text, output to a named file or a stream. Every
 * shell reads such a command alike. Whatever the grammar does not know gives no tokens at all.
 */

export interface Token {
  kind: 'word' | 'output' | 'target' | 'joint' | 'stream'
  raw: string
  /** Without its quotes. */
  text: string
}

/** Where output ends: there is nothing to read. */
export const NOWHERE = '/dev/null'

/** Longer commands are hardly plain. */
const LONGEST = 16 * 1024

/** `#`, `~`, `*`, brackets and every other sign that some shell knows are none of these letters. `=cat` is a place for zsh. */
const BARE = /[A-Za-z0-9_.,@%+:/-][A-Za-z0-9_.,@%+:/=-]*/y
/** A backslash before a letter stays as it is, in both kinds of quotes. `!` may call back an old command. */
const SINGLE = /'((?:[^'\\$`\p{C}\p{Z}]| |\\[a-z0-9])*)'/uy
const DOUBLE = /"((?:[^"\\$`!\p{C}\p{Z}]| |\\[a-z0-9])*)"/uy
const OUTPUT = /[12]?>>?(?![>&|(!])/y
const STREAM = /2>&1|1?>&2/y
const JOINT = /;|&&/y
const JOINT_OR_PIPE = /;|&&|\|\|?(?![|&])/y
const BLANK = /[ \t]*/y

interface Grammar {
  joint: RegExp
  endsWord: RegExp
  endsWordOrWrites: RegExp
}

const oneAfterAnother: Grammar = { joint: JOINT, endsWord: /[ \t;]|&&|$/y, endsWordOrWrites: /[ \t;>]|&&|$/y }
const withPipes: Grammar = { joint: JOINT_OR_PIPE, endsWord: /[ \t;|]|&&|$/y, endsWordOrWrites: /[ \t;|>]|&&|$/y }

/** Null for a command of any other kind, and for an empty one. `pipes`: `|` and `||` are joints, too. */
export function tokensOf(whole: string, { pipes = false } = {}): Token[] | null {
  const grammar = pipes ? withPipes : oneAfterAnother
  if (whole.length > LONGEST) return null
  const text = whole.replace(/(?<![ \t\n])[ \t\n]+$/, '')
  const tokens: Token[] = []
  let at = takeAt(BLANK, text, 0)?.length ?? 0
  while (at < text.length) {
    const token = tokenAt(text, at, tokens.at(-1)?.kind === 'output', grammar)
    if (token === null) return null
    tokens.push(token)
    at += token.raw.length
    at += takeAt(BLANK, text, at)?.length ?? 0
  }
  return tokens.length > 0 ? tokens : null
}

/** An empty command is left out at the end only. */
export function splitAtJoints(tokens: readonly Token[]): Token[][] {
  const commands: Token[][] = [[]]
  for (const token of tokens) {
    if (token.kind === 'joint') commands.push([])
    else commands.at(-1)?.push(token)
  }
  return tokens.at(-1)?.text === ';' ? commands.slice(0, -1) : commands
}

function tokenAt(text: string, at: number, isTarget: boolean, grammar: Grammar): Token | null {
  const kinds = [
    ['stream', STREAM, grammar.endsWord],
    ['output', OUTPUT, null],
    ['joint', grammar.joint, null],
  ] as const
  if (!isTarget) {
    for (const [kind, pattern, end] of kinds) {
      const raw = takeAt(pattern, text, at)
      if (raw !== null && (end === null || takeAt(end, text, at + raw.length) !== null)) return { kind, raw, text: raw }
    }
  }
  for (const pattern of [BARE, SINGLE, DOUBLE]) {
    const raw = takeAt(pattern, text, at)
    if (raw === null) continue
    // `5>log` names a stream, `a>log` does not.
    const end = isTarget || /^\d+$/.test(raw) ? grammar.endsWord : grammar.endsWordOrWrites
    if (takeAt(end, text, at + raw.length) === null) return null
    return { kind: isTarget ? 'target' : 'word', raw, text: pattern === BARE ? raw : raw.slice(1, -1) }
  }
  return null
}

function takeAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}
