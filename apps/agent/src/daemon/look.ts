/**
 * What folders of people are looked at for. Their disk may be on a network and never answer, and a call that waits for it
 * stops the whole process; so the daemon has it done in a process of its own (`path-looker.ts`).
 */
import { type QuestionAnswer, toCodedError } from '@roundhouse/backend-types'
import { realRoots } from '../policy/policy-store'
import { type RealPaths, resolveRealPaths } from '../policy/real-paths'
import { FileFinder, type FilesAsked } from '../work-folder/find-files'
import { listFolders } from './folders'

export type Look =
  | { look: 'paths'; paths: string[] }
  | { look: 'folders'; roots: string[]; path?: string | undefined }
  | { look: 'roots'; roots: string[] }
  | ({ look: 'files' } & FilesAsked)

/** What each look brings. */
export interface Seen {
  paths: RealPaths
  folders: QuestionAnswer<'folders'>
  roots: string[]
  files: QuestionAnswer<'files'>
}

const finder = new FileFinder()

/** Asked for in one line of JSON, answered in one: `{ seen }` or `{ error }`. */
export function answerLine(line: string): string {
  try {
    return JSON.stringify({ seen: lookFor(JSON.parse(line)) })
  } catch (error) {
    return JSON.stringify({ error: toCodedError(error).toBody() })
  }
}

function lookFor(asked: Look): Seen[Look['look']] {
  switch (asked.look) {
    case 'paths':
      return resolveRealPaths(asked.paths)
    case 'folders':
      return listFolders(asked.roots, asked.path)
    case 'roots':
      return realRoots(asked.roots)
    case 'files':
      return finder.find(asked)
  }
}
