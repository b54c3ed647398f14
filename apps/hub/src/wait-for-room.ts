/** A hub whose disk is full or fails at its start waits until it can write, and says so once. */
import { closeSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeOwnFile } from '@roundhouse/owner'
import type { Logger } from 'pino'

/** What a start writes, and a little more. */
const ROOM_BYTES = 1_048_576
const EVERY_MS = 1_000
const passing = new Set(['ENOSPC', 'EDQUOT', 'EIO'])

export async function waitForRoom(dataDir: string, log: Logger): Promise<void> {
  for (let told = false; ; told = true) {
    const code = tryToWrite(path.join(dataDir, `hub.json.${process.pid}`))
    if (code === null) return
    if (!told) log.error({ code, dataDir }, 'cannot write to the data folder; the hub starts when there is room')
    await pause(EVERY_MS)
  }
}

function tryToWrite(file: string): string | null {
  try {
    const handle = makeOwnFile(file)
    try {
      writeFileSync(handle, Buffer.alloc(ROOM_BYTES), { flush: true })
    } finally {
      closeSync(handle)
    }
    return null
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (passing.has(code)) return code
    throw error
  } finally {
    rmSync(file, { force: true })
  }
}
