/** Records on disk which sessions have an accepted prompt that waits for a place, so that their hosts need not run. */
import { existsSync, rmSync } from 'node:fs'
import { Id } from '@roundhouse/backend-types'
import { readOwnFile } from '@roundhouse/owner'
import { z } from 'zod'
import { writeDurably } from '../../files/write-durably'
import { sessionFiles } from '../../host-contract/paths'

const Note = z.object({ commandId: Id, since: z.number() })

export class WaitingNotes {
  private readonly noted = new Set<string>()

  constructor(
    private readonly folder: (sessionId: string) => string,
    private readonly now: () => number,
  ) {}

  /** Throws errors of the disk. */
  add(sessionId: string, commandId: string): void {
    if (this.noted.has(sessionId)) return
    writeDurably(this.file(sessionId), JSON.stringify({ commandId, since: this.now() }))
    this.noted.add(sessionId)
  }

  /** If the disk refuses, the session waits for as long as this daemon lives. */
  tryToAdd(sessionId: string, commandId: string): void {
    try {
      this.add(sessionId, commandId)
    } catch {}
  }

  remove(sessionId: string): void {
    if (!this.noted.delete(sessionId)) return
    try {
      rmSync(this.file(sessionId), { force: true })
    } catch {} // the next daemon finds that nothing waits
  }

  /** Notes of earlier daemons, the longest waiting first. */
  find(sessionIds: readonly string[]): Array<{ sessionId: string; commandId: string }> {
    const found = sessionIds.flatMap((sessionId) => {
      if (!existsSync(this.file(sessionId))) return []
      this.noted.add(sessionId)
      return [{ sessionId, ...this.read(sessionId) }]
    })
    return found.sort((a, b) => a.since - b.since)
  }

  private read(sessionId: string): z.infer<typeof Note> {
    try {
      return Note.parse(JSON.parse(readOwnFile(this.file(sessionId))))
    } catch {
      return { commandId: 'unknown', since: 0 } // the note's existence is enough
    }
  }

  private file(sessionId: string): string {
    return sessionFiles(this.folder(sessionId)).waits
  }
}
