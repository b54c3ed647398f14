/**
 * Reads the end of the file in which a program keeps the output of a background command. The command runs as the same
 * user and may replace the file with anything. So the reader follows no link below the program's own folder, skips
 * files with a second name or another owner, and reads only the end.
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
  /** Text before this piece is missing. */
  skipped: boolean
}

export class OutputFileReader {
  private handle: number | null = null
  private at = 0
  private decoder = new StringDecoder('utf8')

  constructor(
    private readonly file: TaskOutputFile,
    /** The most bytes that one read returns. */
    private readonly most: number,
    private readonly denied: () => readonly string[],
  ) {}

  /** The text that the file gained, or null if it has none or may not be read. */
  read(): Piece | null {
    try {
      this.handle ??= openTaskOutput(this.file, this.denied())
      return this.handle === null ? null : this.next(this.handle)
    } catch {
      // The file does not exist yet, or something else is in its place.
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
