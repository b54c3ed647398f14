/**
 * Marks that a host held events in memory because no disk took them (FLOW-2). If the host dies, they are lost, and the
 * next host must report that. The mark lies in space that was reserved beforehand, because a full disk grants none.
 */
import { closeSync, constants, fsyncSync, readSync, writeSync } from 'node:fs'
import type { SessionEvent } from '@roundhouse/backend-types'
import { InTheWay, openOwnFile } from '@roundhouse/owner'
import { writeDurably } from '../../files/write-durably'

const HELD = '1'
const NOTHING = '-'
const MADE = constants.O_RDWR | constants.O_CREAT

export class UnwrittenMark {
  /** True if the previous host left a mark. */
  readonly found: boolean
  private stands: boolean

  constructor(private readonly file: string) {
    this.found = this.inFile((handle) => read(handle) === HELD) ?? false
    this.stands = this.found
    if (!this.found) this.write(NOTHING)
  }

  held(held: boolean): void {
    this.stands = held
    this.write(held ? HELD : NOTHING)
  }

  /** Everything that was held is on disk. */
  written(): void {
    if (this.stands) this.held(false)
  }

  private write(text: string): void {
    this.inFile((handle) => {
      writeSync(handle, text, 0)
      fsyncSync(handle)
    })
  }

  /** Replaces a link or a pipe at this path, which means nothing. */
  private open(): number {
    try {
      return openOwnFile(this.file, MADE)
    } catch (error) {
      if (!(error instanceof InTheWay)) throw error
      writeDurably(this.file, NOTHING)
      return openOwnFile(this.file, MADE)
    }
  }

  /** If the disk refuses even this, the daemon, which knows of the pause, tells the next host. */
  private inFile<T>(work: (handle: number) => T): T | null {
    try {
      const handle = this.open()
      try {
        return work(handle)
      } finally {
        closeSync(handle)
      }
    } catch {
      return null
    }
  }
}

function read(handle: number): string {
  const byte = Buffer.alloc(1)
  return byte.toString('latin1', 0, readSync(handle, byte, 0, 1, 0))
}

/** The key in the log's `meta` that says that the log reports the loss already: a host may die before it clears the mark. */
export const lossToldKey = 'lossTold'

/** The event that stands for the output that may be missing. */
export function outputLost(turnId: string | null): SessionEvent {
  const message =
    'The host of this session ended before everything was written: the last of what its program printed may be missing here.'
  return { kind: 'system', subtype: 'output_lost', ...(turnId === null ? {} : { turnId }), data: { message } }
}
