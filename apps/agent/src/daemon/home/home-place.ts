/**
 * Detects whether this state folder is the one in which its agent last worked, or a copy of it, for example from a backup. A
 * copy contains everything that waits in the original (queued prompts, sessions that resume by themselves), and both would
 * start it. A copy therefore starts nothing by itself until the hub has let it in: the hub admits only one of them (JOIN-4).
 */
import { statSync } from 'node:fs'
import { readOwnFile } from '@roundhouse/owner'
import { z } from 'zod'
import { writeDurablyOrInPlace } from '../../files/write-durably'

/** Only the inode: a device's number may change with each start of the machine. */
const PlaceFile = z.object({ inode: z.string() })

export class HomePlace {
  private other: boolean

  constructor(
    private readonly state: string,
    private readonly file: string,
  ) {
    const known = readPlace(file)
    this.other = known !== null && known !== inodeOf(state)
    if (known === null) this.write()
  }

  /** The folder differs from the last one, and no hub has accepted it since. */
  get isOther(): boolean {
    return this.other
  }

  /** The hub has accepted it. */
  settle(): void {
    if (!this.other) return
    this.other = false
    this.write()
  }

  private write(): void {
    try {
      writeDurablyOrInPlace(this.file, JSON.stringify({ inode: inodeOf(this.state) }))
    } catch {
      // If the disk refuses, the next start asks the hub first.
    }
  }
}

const inodeOf = (folder: string): string => String(statSync(folder, { bigint: true }).ino)

function readPlace(file: string): string | null {
  try {
    return PlaceFile.parse(JSON.parse(readOwnFile(file))).inode
  } catch {
    return null
  }
}
