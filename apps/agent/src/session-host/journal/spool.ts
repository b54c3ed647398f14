/**
 * Stores the text of unfinished blocks, one small file per block (LOG-5). It uses plain writes without fsync: a killed
 * host loses at most what the kernel had not taken, and the next host turns the rest into an event.
 */
import { closeSync, ftruncateSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { ForeignId, Id } from '@roundhouse/backend-types'
import { makeOwnFile, makeOwnFolder, readOwnFile } from '@roundhouse/owner'
import { z } from 'zod'

/** A block may be long. */
const MOST_BYTES = 256 * 1024 * 1024

const SpoolHeader = z.object({
  blockId: z.string().min(1).max(512),
  procId: Id,
  kind: z.enum(['assistant_text', 'thinking', 'tool_progress']),
  afterSeq: z.number().int().min(0),
  turnId: Id.optional(),
  parentCallId: ForeignId.optional(),
  callId: ForeignId.optional(),
})
export type SpoolHeader = z.infer<typeof SpoolHeader>

export interface SpooledBlock extends SpoolHeader {
  text: string
}

export class SpoolFile {
  private readonly descriptor: number | null
  private readonly textStart: number
  private bytes = 0
  /** Text that a disk refused. The file ends there; the rest stays in memory. */
  private rest: string | null = null

  constructor(
    readonly path: string,
    header: SpoolHeader,
  ) {
    const line = `${JSON.stringify(header)}\n`
    this.textStart = Buffer.byteLength(line)
    this.descriptor = open(path)
    if (!this.append(line)) this.rest = ''
  }

  write(text: string): void {
    if (this.rest !== null) this.rest += text
    else if (!this.append(text)) this.rest = text
  }

  read(): string {
    return this.inFile() + (this.rest ?? '')
  }

  remove(): void {
    if (this.descriptor === null) return
    try {
      closeSync(this.descriptor)
      rmSync(this.path, { force: true })
    } catch (error) {
      // The block is in the log. A disk that refuses must not end the session; the next host empties the spool.
      console.error('could not remove a spooled text', error)
    }
  }

  /** Writes all or nothing. A nearly full disk takes only the beginning of a text, and later text would follow it. */
  private append(text: string): boolean {
    if (this.descriptor === null) return false
    const bytes = Buffer.from(text)
    try {
      if (writeSync(this.descriptor, bytes, 0, bytes.length, this.bytes) < bytes.length) throw new Error('cut')
      this.bytes += bytes.length
      return true
    } catch {
      this.cutBack(this.descriptor)
      return false
    }
  }

  private cutBack(descriptor: number): void {
    try {
      ftruncateSync(descriptor, this.bytes)
    } catch {
      // A reader after a crash handles a torn end.
    }
  }

  private inFile(): string {
    if (this.descriptor === null || this.bytes <= this.textStart) return ''
    try {
      const text = Buffer.alloc(this.bytes - this.textStart)
      return text.toString('utf8', 0, readSync(this.descriptor, text, 0, text.length, this.textStart))
    } catch (error) {
      console.error('a spooled block cannot be read', error)
      return ''
    }
  }
}

function open(path: string): number | null {
  try {
    return makeOwnFile(path)
  } catch {
    return null
  }
}

/** The blocks that a dead host left, in the order in which they began. */
export function readSpool(folder: string): SpooledBlock[] {
  makeOwnFolder(folder)
  const names = readdirSync(folder).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  return names.flatMap((name) => {
    const block = readBlock(join(folder, name))
    return block ? [block] : []
  })
}

/** An unreadable file must not keep the session from its next host. */
function readBlock(file: string): SpooledBlock | null {
  try {
    return parse(readOwnFile(file, { most: MOST_BYTES }))
  } catch (error) {
    console.error('a spooled text cannot be read', error)
    return null
  }
}

export function emptySpool(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true, recursive: true })
}

function parse(content: string): SpooledBlock | null {
  const end = content.indexOf('\n')
  if (end < 0) return null
  try {
    const header = SpoolHeader.parse(JSON.parse(content.slice(0, end)))
    // The last character may have been torn in the middle.
    return { ...header, text: content.slice(end + 1).replace(/(?<!\uFFFD)\uFFFD+$/, '') }
  } catch {
    return null
  }
}
