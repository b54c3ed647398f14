/**
 * Identifies files and folders by device and inode, not by name: a hard link, a bind mount, or a case-insensitive disk gives
 * one of them a second name.
 */
import { type BigIntStats, readdirSync, statSync } from 'node:fs'
import path from 'node:path'

/** In a home with more entries, the walk stops. */
const MOST_ENTRIES = 50_000

export class Identities {
  private readonly known = new Map<string, BigIntStats | null>()

  constructor(private readonly names: readonly string[]) {}

  /** Whether a name, or a folder above it, is one of these places. */
  areBelow(places: readonly string[]): boolean {
    const wanted = new Set(places.flatMap((place) => this.identityOf(place)))
    if (wanted.size === 0) return false
    return this.names.some((name) => waysUp(name).some((at) => this.identityOf(at).some((one) => wanted.has(one))))
  }

  /** Whether a name is a second one of a file below these places. They are walked only where a file has a second name. */
  hardLinkInto(places: readonly string[]): boolean {
    const twice = this.names.filter((name) => {
      const found = this.look(name)
      return found?.isFile() === true && found.nlink > 1n
    })
    if (twice.length === 0) return false
    const wanted = new Set(twice.flatMap((name) => this.identityOf(name)))
    const left = { entries: MOST_ENTRIES }
    return places.some((place) => this.holds(place, wanted, left))
  }

  private holds(place: string, wanted: ReadonlySet<string>, left: { entries: number }): boolean {
    const found = this.look(place)
    if (!found) return false
    if (!found.isDirectory()) return this.identityOf(place).some((one) => wanted.has(one))
    for (const entry of entriesOf(place)) {
      left.entries -= 1
      if (left.entries < 0) return false
      if (!entry.isSymbolicLink() && this.holds(path.join(place, entry.name), wanted, left)) return true
    }
    return false
  }

  private identityOf(place: string): string[] {
    const found = this.look(place)
    return found ? [`${found.dev} ${found.ino}`] : []
  }

  private look(place: string): BigIntStats | null {
    const known = this.known.get(place)
    if (known !== undefined) return known
    const found = stat(place)
    this.known.set(place, found)
    return found
  }
}

function stat(place: string): BigIntStats | null {
  try {
    return statSync(place, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch {
    return null // a name that is too long, or nobody's to look at
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The place itself and every folder above it, but for the root of the disk. */
function waysUp(place: string): string[] {
  const ways: string[] = []
  for (let at = place; at !== path.dirname(at); at = path.dirname(at)) ways.push(at)
  return ways
}
