/**
 * Says that a host held in its memory what no disk had taken (FLOW-2). A host that dies then takes it along, and the next
 * one must be able to say so. It lies in room that the disk gave beforehand, since a full one gives none.
 */
import { closeSync, constants, fsyncSync, readSync, writeSync } from 'node:fs'
import type { SessionEvent } from '@roundhouse/backend-types'
import { InTheWay, openOwnFile } from '@roundhouse/owner'
import { writeDurably } from '../../files/write-durably'

const HELD = '1'
const NOTHING = '-'
const MADE = constants.O_RDWR | constants.O_CREAT

export class UnwrittenMark {
  /** What the host before this one left. */
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

  /** All that was held is on the disk. */
  written(): void {
    if (this.stands) this.held(false)
  }

  private write(text: string): void {
    this.inFile((handle) => {
      writeSync(handle, text, 0)
      fsyncSync(handle)
    })
  }

  /** A link or a pipe in its place says nothing, and makes way. */
  private open(): number {
    try {
      return openOwnFile(this.file, MADE)
    } catch (error) {
      if (!(error instanceof InTheWay)) throw error
      writeDurably(this.file, NOTHING)
      return openOwnFile(this.file, MADE)
    }
  }

  /** A disk that refuses even this: then the daemon, which heard of the pause, tells the next host. */
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

/** The row of the log's `meta` that says that what the mark means is in the log: a host may die before it clears the mark. */
export const lossToldKey = 'lossTold'

/** In the place of what may be missing. */
export function outputLost(turnId: string | null): SessionEvent {
  const message =
    'The host of this session ended before everything was written: the last of what its program printed may be missing here.'
  return { kind: 'system', subtype: 'output_lost', ...(turnId === null ? {} : { turnId }), data: { message } }
}
