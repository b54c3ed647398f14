/**
 * A file in the session's folder that exists while the log may say that the session resumes by itself (RES-3). It is
 * created before the log says so and deleted after, so a starting daemon need not open every log.
 */
import { rmSync } from 'node:fs'
import { writeDurably } from '../../files/write-durably'
import { resumeWishKey } from '../../log/resume-wish'
import type { LogChange } from '../../log/statements'

export class ResumeHint {
  private needed = false

  constructor(private readonly file: string) {}

  /** Called before the log says so. */
  need(): void {
    if (this.needed) return
    this.needed = true
    try {
      writeDurably(this.file, '')
    } catch (error) {
      // The log reports a disk that refuses. A running daemon learns of the wish from the host's account.
      console.error('could not note beside the log that the session resumes by itself', error)
    }
  }

  /** Deletes the file once the log no longer asks for a resume. */
  release(): void {
    this.needed = false
  }

  /** Called when these rows of the log are on disk. */
  kept(meta: NonNullable<LogChange['meta']>): void {
    if (resumeWishKey in meta && !this.needed) rmSync(this.file, { force: true })
  }
}
