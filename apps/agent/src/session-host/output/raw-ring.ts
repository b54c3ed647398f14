/**
 * The unparsed output of a backend, for diagnosis on this machine (LOG-8). It uses two files, each half of the limit; a
 * full file replaces the older one. Plain writes may lose their end in a crash.
 */
import { closeSync, constants, existsSync, fstatSync, renameSync, writeSync } from 'node:fs'
import { openOwnFile } from '@roundhouse/owner'

const DEFAULT_BYTES = 16 * 1024 * 1024
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT

export class RawRing {
  private descriptor: number | null = null
  private written = 0

  constructor(
    private readonly path: string,
    private readonly limit = DEFAULT_BYTES,
  ) {}

  /** Adds one line. Never throws: diagnosis must not stop a session. */
  add(line: string): void {
    try {
      this.descriptor ??= this.open()
      this.written += writeSync(this.descriptor, `${line}\n`)
      if (this.written >= this.limit / 2) this.turn()
    } catch {
      this.close()
    }
  }

  close(): void {
    if (this.descriptor !== null) closeSync(this.descriptor)
    this.descriptor = null
  }

  private open(): number {
    const descriptor = openOwnFile(this.path, APPEND)
    this.written = fstatSync(descriptor).size
    return descriptor
  }

  private turn(): void {
    this.close()
    if (existsSync(this.path)) renameSync(this.path, `${this.path}.1`)
  }
}
