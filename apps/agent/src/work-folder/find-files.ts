/** Answers the question for files (CMD-10), which comes again at every letter: one walk serves a few seconds. */
import { realpathSync } from 'node:fs'
import { CodedError, type FilesReply, MOST_FILES, rankFiles } from '@roundhouse/backend-types'
import { isInside } from '../files/is-inside'
import type { FilesAsked } from './files-asked'
import { type Walked, type WalkLimits, walk } from './walk'

export const walkLimits: WalkLimits = { files: 50_000, entries: 250_000, ms: 1_000 }
const FRESH_MS = 3_000
const MOST_KEPT = 4

export class FileFinder {
  private readonly kept = new Map<string, Walked & { at: number }>()

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly limits = walkLimits,
  ) {}

  find({ folder, roots, denied, query }: FilesAsked): FilesReply {
    if (realOf(folder) !== folder || !roots.some((root) => isInside(folder, root))) {
      throw new CodedError('PATH_NOT_ALLOWED', undefined, { path: folder })
    }
    const left = denied.flatMap((one) => [one, realOf(one) ?? one])
    if (left.some((one) => isInside(folder, one))) throw new CodedError('PATH_NOT_ALLOWED', undefined, { path: folder })
    const { files, complete } = this.walked(folder, left)
    const found = rankFiles(files, query, MOST_FILES)
    if (complete) return { files: found, complete }
    // In a tree that is too large, what lies in the folder that was typed comes first.
    const below = rankFiles(this.walked(folder, left, query.split('/').slice(0, -1)).files, query, MOST_FILES)
    return { files: [...new Set([...below, ...found])].slice(0, MOST_FILES), complete }
  }

  private walked(folder: string, denied: readonly string[], begin: readonly string[] = []): Walked {
    const key = JSON.stringify([folder, denied, begin])
    const known = this.kept.get(key)
    if (known && this.now() - known.at < FRESH_MS) return known
    const walked = { ...walk(folder, denied, this.limits, begin), at: this.now() }
    this.kept.delete(key)
    this.kept.set(key, walked)
    const [oldest] = this.kept.keys()
    if (this.kept.size > MOST_KEPT && oldest !== undefined) this.kept.delete(oldest)
    return walked
  }
}

function realOf(name: string): string | null {
  try {
    return realpathSync.native(name)
  } catch {
    return null
  }
}
