/**
 * Reads the end of a file in which a program keeps what a command in the background prints. The command runs as the same
 * user and may put anything in the file's place: no link is followed below the program's own folder, a file with a second
 * name or of somebody else is not read, and no more than an end of it at once.
 */
import { closeSync, constants, fstatSync, readSync, realpathSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import type { TaskOutputFile } from '@roundhouse/backend-types'
import { openOwnFile } from '@roundhouse/owner'
import { realPathOf } from '../../actions/named-paths'
import { isInside } from '../../files/is-inside'

export interface Piece {
  text: string
  /** Something before it was left out. */
  skipped: boolean
}

export class OutputFileReader {
  private handle: number | null = null
  private at = 0
  private decoder = new StringDecoder('utf8')

  constructor(
    private readonly file: TaskOutputFile,
    /** Of what is behind these many bytes, nothing is read. */
    private readonly most: number,
    private readonly denied: () => readonly string[],
  ) {}

  /** What the file has more than before; null where there is nothing, or nothing that may be read. */
  read(): Piece | null {
    try {
      this.handle ??= openTaskOutput(this.file, this.denied())
      return this.handle === null ? null : this.next(this.handle)
    } catch {
      // It is not there yet, or something else is in its place.
      return null
    }
  }

  close(): void {
    if (this.handle !== null) closeSync(this.handle)
    this.handle = null
  }

  private next(handle: number): Piece | null {
    const { size } = fstatSync(handle)
    if (size === this.at) return null
    const from = Math.max(size < this.at ? 0 : this.at, size - this.most)
    const skipped = from !== this.at
    if (skipped) this.decoder = new StringDecoder('utf8')
    const bytes = Buffer.alloc(size - from)
    const read = readSync(handle, bytes, 0, bytes.length, from)
    this.at = from + read
    return { text: this.decoder.write(bytes.subarray(0, read)), skipped }
  }
}

function openTaskOutput({ folder, path }: TaskOutputFile, denied: readonly string[]): number | null {
  if (normalize(path) !== path || path.startsWith('..')) return null
  const file = join(realpathSync(folder), path)
  if (realpathSync(dirname(file)) !== dirname(file)) return null
  if (denied.some((place) => isInside(file, realPathOf(place)))) return null
  const handle = openOwnFile(file, constants.O_RDONLY)
  const { nlink, uid } = fstatSync(handle)
  if (nlink === 1 && uid === (process.getuid?.() ?? uid)) return handle
  closeSync(handle)
  return null
}
