/**
 * Finds who besides the owner could change what this machine allows: through the policy file, the folders that contain it up
 * to the agent's home, and the location and target of each link among them.
 */
import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import path from 'node:path'
import { isInside } from '../files/is-inside'

/** A chain of links that is longer leads in a circle. */
const MOST_LINKS = 40
const OTHERS_WRITE = 0o022
/** In such a folder (`/tmp`) everybody replaces only what is their own. */
const STICKY = 0o1000

/**
 * Sentences, each with the fix. While there is one, the file is not trusted: a person who may change a folder can replace
 * the file in it.
 */
export function whoElseWrites(file: string, home: string): string[] {
  const places = [file, ...foldersBetween(file, home)].flatMap((place) => wayOf(place))
  return [...new Set(places)].flatMap(complaintAbout)
}

function foldersBetween(file: string, home: string): string[] {
  const folder = path.dirname(file)
  const above = folder !== file && folder !== home && isInside(folder, home)
  return above ? [folder, ...foldersBetween(folder, home)] : [folder]
}

/** The path itself; for a link also its folder, and the same for its target. */
function wayOf(place: string, links = MOST_LINKS): string[] {
  if (links === 0 || !lookAt(place)?.isSymbolicLink()) return [place]
  const folder = realOf(path.dirname(place))
  const next = path.resolve(folder, readlinkSync(place))
  return [place, folder, ...wayOf(next, links - 1), realOf(path.dirname(next))]
}

function complaintAbout(place: string): string[] {
  const found = lookAt(place)
  if (!found) return []
  const isLink = found.isSymbolicLink() // its mode says nothing
  if (isForeign(found)) {
    return [`${place} belongs to another user. Mend it: chown ${isLink ? '-h ' : ''}"$USER" ${place}`]
  }
  const keepsEach = found.isDirectory() && (found.mode & STICKY) !== 0
  if (isLink || keepsEach || (found.mode & OTHERS_WRITE) === 0) return []
  return [`Others may change ${place}. Mend it: chmod go-w ${place}`]
}

const isForeign = ({ uid }: Stats): boolean => {
  const own = process.getuid?.()
  return own !== undefined && uid !== own && uid !== 0
}

function lookAt(place: string): Stats | null {
  try {
    return lstatSync(place)
  } catch {
    return null
  }
}

function realOf(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return place
  }
}
