/**
 * Erases sessions across crashes (SES-3). A note is on the disk from before the first step until after the last. A daemon
 * that finds a note continues, whether or not it reaches the hub that requested the erasure.
 */
import { readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { failpoint } from '@roundhouse/failpoint'
import { lookAt, makeOwnFolder } from '@roundhouse/owner'
import { writeDurably } from '../../files/write-durably'

export class Erasures {
  private readonly underWay: Set<string>

  constructor(private readonly folder: string) {
    const names = lookAt(folder)?.isDirectory() ? readdirSync(folder) : []
    for (const torn of names.filter(isTorn)) rmSync(join(folder, torn), { force: true })
    this.underWay = new Set(names.filter((name) => !isTorn(name)))
  }

  all(): string[] {
    return [...this.underWay]
  }

  /** Then there is no such session any more, whatever of it still lies here. */
  has(sessionId: string): boolean {
    return this.underWay.has(sessionId)
  }

  begin(sessionId: string): void {
    if (this.underWay.has(sessionId)) return
    try {
      makeOwnFolder(this.folder)
      writeDurably(join(this.folder, sessionId), '')
    } catch {
      // A full disk takes no note, and erasing is what makes room.
    }
    this.underWay.add(sessionId)
    failpoint('agent.erase')
  }

  done(sessionId: string): void {
    rmSync(join(this.folder, sessionId), { force: true })
    this.underWay.delete(sessionId)
  }
}

const isTorn = (name: string): boolean => name.endsWith('.tmp')

/** One file after the other, and others have their turns between: there may be thousands. Of a link in its place only the link goes. */
export async function eraseFolder(folder: string): Promise<void> {
  const entries = lookAt(folder)?.isDirectory() ? readdirSync(folder) : []
  for (const entry of entries) {
    await rm(join(folder, entry), { recursive: true, force: true })
    failpoint('agent.erase')
  }
  await rm(folder, { recursive: true, force: true })
}
