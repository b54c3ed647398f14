/**
 * The place of one session's programs on this machine: a folder with the record of what was started, a scratch folder, the mark
 * that each of its processes carries, and the guard that ends them if this process dies (RES-6). Nothing of a conversation is here.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { folderId } from '@roundhouse/owner'
import { makeScratch, removeScratch } from '../../files/scratch-folder'
import { FOLDER_MARK, HOST_MARK, SESSION_MARK } from '../../host-contract/launch-spec'
import { sessionFiles } from '../../host-contract/paths'
import { Guard } from '../../processes/guard'
import { HostRecordFile } from '../../processes/host-record'
import { endLeftovers } from '../../processes/leftovers'
import type { ReadMarks } from '../../processes/mark-reader'

export interface ProgramFolders {
  /** The folders of all sessions of bridges. */
  bridges: string
  scratch: string
  reaperEntry: string
  readMarks: ReadMarks
}

export class ProgramPlace {
  readonly scratchDir: string
  readonly marks: Readonly<Record<string, string>>
  private readonly dir: string
  private readonly launch = randomUUID()
  private readonly record: HostRecordFile
  private readonly guard: Guard

  constructor(
    private readonly folders: ProgramFolders,
    readonly sessionId: string,
  ) {
    this.dir = path.join(folders.bridges, sessionId)
    mkdirSync(this.dir, { recursive: true, mode: 0o700 })
    this.scratchDir = makeScratch(path.join(folders.scratch, sessionId))
    this.record = new HostRecordFile(sessionFiles(this.dir).host, sessionId, this.dir, 'bridge', this.launch)
    this.guard = new Guard(folders.reaperEntry, this.dir, sessionId, this.launch)
    this.marks = { [SESSION_MARK]: sessionId, [HOST_MARK]: this.launch, [FOLDER_MARK]: folderId(this.dir) }
  }

  /** Before a program starts. */
  watch(): void {
    this.guard.watch()
  }

  started(procId: string, pid: number | undefined): void {
    this.record.started(procId, pid)
  }

  ended(procId: string): void {
    this.record.ended(procId)
  }

  mayLeave(folders: readonly string[]): void {
    this.record.mayLeave(folders)
  }

  /** A file for a program, which nobody else reads. */
  write(name: string, text: string): string {
    const file = path.join(this.scratchDir, name)
    writeFileSync(file, text, { mode: 0o600 })
    return file
  }

  /** Resolves when no process of this session is left. */
  endPrograms(): Promise<void> {
    return endLeftovers(this.folders.readMarks, this.sessionId, this.launch)
  }

  /** Nothing of it runs any more. */
  leave(): void {
    this.guard.dismiss()
    removeScratch(this.scratchDir)
    rmSync(this.dir, { recursive: true, force: true })
  }
}
