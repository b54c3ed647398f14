/**
 * Performs looks in the looker's own process. It reports each path before it accesses it, because that may be its last
 * report.
 */
import { statSync } from 'node:fs'
import path from 'node:path'
import { toCodedError } from '@roundhouse/backend-types'
import { realPlace } from '../../files/real-place'
import { realRoots } from '../../policy/real-roots'
import { resolveRealPaths } from '../../policy/resolve-paths'
import { removeLeft } from '../../reaper/remove-left'
import { FileFinder } from '../../work-folder/find-files'
import { listFolders } from './folders'
import type { FileStat, Look, Seen } from './looks'

const finder = new FileFinder()

/** Takes a request in one line of JSON and answers in one: `{ seen }` or `{ error }`, after lines `{ at }`. */
export async function answerLine(line: string, say: (line: string) => void): Promise<void> {
  const at = (place: string) => say(JSON.stringify({ at: place }))
  try {
    say(JSON.stringify({ seen: await lookFor(JSON.parse(line), at) }))
  } catch (error) {
    say(JSON.stringify({ error: toCodedError(error).toBody() }))
  }
}

async function lookFor(asked: Look, at: (place: string) => void): Promise<Seen[Look['look']]> {
  switch (asked.look) {
    case 'paths':
      return Object.assign({}, ...each(asked.paths, at, (one) => resolveRealPaths([one])))
    case 'folders':
      return listFolders(asked.roots, asked.path)
    case 'roots':
      return each(asked.roots, at, (one) => realRoots([one])).flat()
    case 'place':
      return realPlace(asked.place)
    case 'stats':
      return Object.fromEntries(asked.files.map((file) => [file, statOf(file, at)]))
    case 'takeLeft':
      await removeLeft(asked.mounts)
      return null
    case 'files':
      return finder.find(asked)
  }
}

function each<T>(places: readonly string[], at: (place: string) => void, look: (place: string) => T): T[] {
  return places.map((place) => {
    at(place)
    return look(place)
  })
}

function statOf(file: string, at: (place: string) => void): FileStat | null {
  at(path.dirname(file))
  try {
    const { ino, size, mtimeMs } = statSync(file)
    return { inode: ino, bytes: size, changedAt: mtimeMs }
  } catch {
    return null
  }
}
