/**
 * Files that a prompt names with `@`. Measured on 2.1.330: Claude Code reads them into the conversation without asking, also
 * those outside of the session's folders, which its own tools ask about. So a prompt that names one of these is refused.
 *
 * Its own grammar takes more than one thinks: any punctuation in front of the sign, names that end at a sign, names within quotes
 * within quotes. So every `@` counts, and every name that may end there, be it ever so short.
 */
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isInside } from '@roundhouse/adapter-kit'
import { CodedError } from '@roundhouse/backend-types'

const LONGEST = 4_096
/** Names that are looked up on the disk for one prompt. */
const MOST_LOOKUPS = 50_000
/** And names that are read in it, the same ones again too: of a thousand signs in a row there are millions. */
const MOST_NAMES = 200_000

/** `folders` are real paths; the first is where relative names begin. Null: it may be sent. */
export function refuseMentions(text: string, folders: readonly string[], home: string | undefined): CodedError | null {
  const [workDir = '/'] = folders
  const seen = new Set<string>()
  let names = 0
  for (const named of namesIn(text)) {
    names += 1
    if (names > MOST_NAMES) return tooMany()
    if (seen.has(named)) continue
    seen.add(named)
    if (seen.size > MOST_LOOKUPS) return tooMany()
    const real = realOf(resolve(workDir, atHome(named, home)))
    if (real !== null && !isInside(real, folders)) return outside(named)
  }
  return null
}

function outside(named: string): CodedError {
  const message = `@${named} is outside of this session's folders, and Claude Code would read it without asking. Without the @ it asks first.`
  return new CodedError('PATH_NOT_ALLOWED', message, { path: named })
}

const tooMany = () =>
  new CodedError('PATH_NOT_ALLOWED', 'The prompt holds too many names behind @. Send them in several prompts.', {
    names: MOST_LOOKUPS,
  })

/** Every name that may stand behind an `@`, whatever stands in front of it. */
function* namesIn(text: string): Generator<string> {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const line = text.slice(at + 1, at + 1 + LONGEST).split('\n', 1)[0] ?? ''
    yield* /^["'“‘`]/.test(line) ? quotedNames(line) : plainNames(/^\S*/.exec(line)?.[0] ?? '')
  }
}

/** Up to each quote that may be the last, and plain ones: the quote may be part of a sentence. */
function* quotedNames(line: string): Generator<string> {
  for (const { index } of line.slice(1).matchAll(/["'”’`]/g)) yield* endings(line.slice(1, index + 1))
  yield* plainNames(/^\S*/.exec(line.slice(1))?.[0] ?? '')
}

/** Up to each sign at which a name may end, and each end of its last part. */
function* plainNames(word: string): Generator<string> {
  for (const { index } of word.matchAll(/[^A-Za-z0-9_./~+-]/gu)) yield* endings(word.slice(0, index))
  yield* endings(word)
}

/** The whole name, and up to each sign in its last part: that may be the sentence's, or a place in the file (`a.ts#L3-9`). */
function* endings(name: string): Generator<string> {
  if (name !== '') yield name
  const last = name.lastIndexOf('/') + 1
  for (const { index } of name.slice(last).matchAll(/[^A-Za-z0-9_]/gu)) if (index > 0) yield name.slice(0, last + index)
}

const atHome = (name: string, home: string | undefined) =>
  home !== undefined && /^~(\/|$)/.test(name) ? home + name.slice(1) : name

function realOf(path: string): string | null {
  try {
    return realpathSync.native(path)
  } catch {
    return null
  }
}

/** Those of a session, as they really are. */
export function realFolders(folders: readonly string[]): string[] {
  return folders.map((folder) => realOf(folder) ?? folder)
}
