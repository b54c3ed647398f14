/**
 * The text of blocks that are being written, one small file each (LOG-5): plain writes, no fsync, so that a killed host
 * loses at most what the kernel had not taken, and the next one can make an event of the rest.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export interface SpoolHeader {
  blockId: string
  procId: string
  kind: 'assistant_text' | 'thinking' | 'tool_progress'
  afterSeq: number
  turnId?: string | undefined
  parentCallId?: string | undefined
  callId?: string | undefined
}

export interface SpooledBlock extends SpoolHeader {
  text: string
}

export class SpoolFile {
  private readonly descriptor: number
  private readonly textStart: number
  /** A full disk ends the spool, not the session. */
  private broken = false

  constructor(
    readonly path: string,
    header: SpoolHeader,
  ) {
    this.descriptor = openSync(path, 'w+', 0o600)
    const line = `${JSON.stringify(header)}\n`
    this.textStart = Buffer.byteLength(line)
    this.write(line)
  }

  write(text: string): void {
    if (this.broken) return
    try {
      writeSync(this.descriptor, text)
    } catch {
      this.broken = true
    }
  }

  read(): string {
    return readFileSync(this.path).subarray(this.textStart).toString('utf8')
  }

  remove(): void {
    closeSync(this.descriptor)
    rmSync(this.path, { force: true })
  }
}

/** What a dead host left, in the order in which the blocks began. */
export function readSpool(folder: string): SpooledBlock[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const names = readdirSync(folder).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  return names.flatMap((name) => {
    const block = parse(readFileSync(join(folder, name), 'utf8'))
    return block ? [block] : []
  })
}

export function emptySpool(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true })
}

function parse(content: string): SpooledBlock | null {
  const end = content.indexOf('\n')
  if (end < 0) return null
  try {
    const header = JSON.parse(content.slice(0, end)) as SpoolHeader
    // The last character may have been torn in the middle.
    return { ...header, text: content.slice(end + 1).replace(/\uFFFD+$/, '') }
  } catch {
    return null
  }
}
