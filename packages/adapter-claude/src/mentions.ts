/**
 * Files that a prompt names with `@`. Measured on 2.1.330: Claude Code reads them into the conversation without asking, also
 * those outside of the session's folders, which its own tools ask about. So a prompt that names one of these is refused.
 */
import { realpathSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { CodedError } from '@roundhouse/backend-types'

const mention = /(?:^|\s)@(?:"([^"\n]{1,4096})"|(\S{1,4096}))/g
const MOST_MENTIONS = 200

/** `folders` are real paths; the first is where relative names begin. Null: it may be sent. */
export function refuseMentions(text: string, folders: readonly string[], home: string | undefined): CodedError | null {
  const [workDir = '/'] = folders
  for (const named of mentionsIn(text)) {
    const real = namesOf(named)
      .map((name) => realOf(resolve(workDir, atHome(name, home))))
      .find((found) => found !== null)
    if (real === undefined || real === null || folders.some((folder) => isInside(real, folder))) continue
    const message = `@${named} is outside of this session's folders, and Claude Code would read it without asking. Without the @ it asks first.`
    return new CodedError('PATH_NOT_ALLOWED', message, { path: named })
  }
  return null
}

function mentionsIn(text: string): string[] {
  const found: string[] = []
  for (const [, quoted, plain] of text.matchAll(mention)) {
    found.push(quoted ?? plain ?? '')
    if (found.length === MOST_MENTIONS) break
  }
  return found
}

/** With a place in the file behind it (`a.ts#L3-9`), or the end of a sentence. */
function namesOf(named: string): string[] {
  const short = named.replace(/#.*$/, '')
  return [...new Set([named, short, short.replace(/[.,;:!?)\]}'"]+$/, '')])].filter((name) => name !== '')
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

const isInside = (inner: string, outer: string) =>
  inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep)

/** Those of a session, as they really are. */
export function realFolders(folders: readonly string[]): string[] {
  return folders.map((folder) => realOf(folder) ?? folder)
}
