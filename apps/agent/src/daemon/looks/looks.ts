/**
 * The looks: what the daemon wants to know about paths of people and programs. Their disk may be on a network and never
 * answer, and a call that waits for it stops the whole process. A separate process therefore performs them
 * (`path-looker.ts`).
 */
import path from 'node:path'
import type { QuestionAnswer } from '@roundhouse/backend-types'
import type { RealPaths } from '../../policy/real-paths'
import type { FilesAsked } from '../../work-folder/files-asked'

export type Look =
  | { look: 'paths'; paths: string[] }
  | { look: 'folders'; roots: string[]; path?: string | undefined }
  | { look: 'roots'; roots: string[] }
  | { look: 'place'; place: string }
  | { look: 'stats'; files: string[] }
  | { look: 'takeLeft'; mounts: string[] }
  | ({ look: 'files' } & FilesAsked)

export interface FileStat {
  inode: number
  bytes: number
  changedAt: number
}

/** The result of each look. */
export interface Seen {
  paths: RealPaths
  folders: QuestionAnswer<'folders'>
  roots: string[]
  /** The real path of the part that exists. */
  place: string
  /** Null if the file does not exist now. */
  stats: Record<string, FileStat | null>
  takeLeft: null
  files: QuestionAnswer<'files'>
}

/** The places at which the look may hang. */
export function placesOf(asked: Look): string[] {
  switch (asked.look) {
    case 'paths':
      return asked.paths
    case 'folders':
      return asked.path === undefined ? asked.roots : [asked.path]
    case 'roots':
      return asked.roots
    case 'place':
      return [asked.place]
    case 'stats':
      return [...new Set(asked.files.map((file) => path.dirname(file)))]
    case 'takeLeft':
      return [...new Set(asked.mounts.map((mount) => path.dirname(mount)))]
    case 'files':
      return [asked.folder]
  }
}
