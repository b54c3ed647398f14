/**
 * A file that lies in the session's folder for as long as the log may say that it goes on by itself (RES-3). It is there
 * before the log says so and goes after it, so that a daemon need not open every log at its start.
 */
import { rmSync } from 'node:fs'
import { writeDurably } from '../../files/write-durably'
import { resumeWishKey } from '../../log/resume-wish'
import type { LogChange } from '../../log/statements'

export class ResumeHint {
  private needed = false

  constructor(private readonly file: string) {}

  /** The log will say so. */
  need(): void {
    if (this.needed) return
    this.needed = true
    try {
      writeDurably(this.file, '')
    } catch (error) {
      // The log tells of a disk that refuses. The daemon that lives hears of it from the host's account.
      console.error('that the session goes on by itself could not be noted beside the log', error)
    }
  }

  /** The log says so no more once it has taken what is written now. */
  release(): void {
    this.needed = false
  }

  /** These rows of the log are on the disk. */
  kept(meta: NonNullable<LogChange['meta']>): void {
    if (resumeWishKey in meta && !this.needed) rmSync(this.file, { force: true })
  }
}
