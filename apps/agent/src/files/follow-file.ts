/**
 * Reads a growing file of lines, even when it is moved aside and a new one begins. The end of the moved file is read first,
 * so that no line is missed.
 */
import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import { InTheWay, openOwnFile } from '@roundhouse/owner'
import { codedIfInTheWay } from './read-if-there'

const CHUNK_BYTES = 64 * 1024

export class LineFollower {
  private handle: number | null = null
  private offset = 0
  private rest = ''

  constructor(
    private readonly file: string,
    private readonly line: (text: string) => void,
  ) {}

  /** Hands over every whole line that was written since the last call. */
  read(): void {
    const next = this.open()
    if (this.handle !== null) this.drain(this.handle)
    if (next === null || this.isSame(next)) {
      if (next !== null && this.handle !== null) closeSync(next)
      this.handle ??= next
    } else {
      this.close()
      this.handle = next
    }
    if (this.handle !== null) this.drain(this.handle)
  }

  close(): void {
    if (this.handle !== null) closeSync(this.handle)
    this.handle = null
    this.offset = 0
    this.rest = ''
  }

  private open(): number | null {
    try {
      return openOwnFile(this.file, constants.O_RDONLY)
    } catch (error) {
      if (error instanceof InTheWay) throw codedIfInTheWay(error)
      return null
    }
  }

  private isSame(next: number): boolean {
    return this.handle === null || fstatSync(this.handle).ino === fstatSync(next).ino
  }

  private drain(handle: number): void {
    const buffer = Buffer.alloc(CHUNK_BYTES)
    for (;;) {
      const bytes = readSync(handle, buffer, 0, CHUNK_BYTES, this.offset)
      if (bytes === 0) return
      // Cut at a newline, which is never a part of another character.
      const end = buffer.subarray(0, bytes).lastIndexOf(10) + 1
      if (end === 0 && bytes < CHUNK_BYTES) return
      const taken = end === 0 ? bytes : end
      this.offset += taken
      const lines = (this.rest + buffer.toString('utf8', 0, taken)).split('\n')
      this.rest = lines.pop() ?? ''
      for (const text of lines) this.line(text)
    }
  }
}
