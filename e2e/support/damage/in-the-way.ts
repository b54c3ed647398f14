/** Things that a program of the same user may put in place of another program's files. */
import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freshFolder } from '../common/paths'

export type Sort = 'pipe' | 'link' | 'hard link' | 'folder'

/** A file of another program, long enough to be no lock, and a folder with one. */
export function preciousThings() {
  const folder = freshFolder('precious')
  const text = 'Nobody but its owner writes this. '.repeat(300)
  const file = path.join(folder, 'file.txt')
  const inside = path.join(folder, 'inside')
  const kept = path.join(inside, 'kept.txt')
  mkdirSync(inside)
  writeFileSync(file, text)
  writeFileSync(kept, text)
  return { folder, file, inside, kept, text }
}

/** `target`: where a link leads. */
export function putInTheWay(place: string, sort: Sort, target = ''): void {
  rmSync(place, { recursive: true, force: true })
  if (sort === 'pipe') execFileSync('mkfifo', [place])
  else if (sort === 'folder') mkdirSync(place)
  else if (sort === 'hard link') linkSync(target, place)
  else symlinkSync(target, place)
}
