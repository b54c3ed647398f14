/**
 * One process writes a data folder (STORE-5): it holds `hub.lock`. `hub.lock.json` says who that is. Never open `hub.lock`
 * by other means in this process: closing any handle of it drops the lock.
 */
import { rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CodedError } from '@roundhouse/backend-types'
import {
  type FileLock,
  folderOwner,
  InTheWay,
  isRunning,
  readOwnFile,
  replaceOwnFile,
  tryFolderLock,
} from '@roundhouse/owner'
import { z } from 'zod'
import { announcedUrl } from './announce'

/** Who asks at the same instant is in the way only for a moment. */
const PATIENCE_MS = 500
/** A holder says who it is right behind taking the lock. */
const NAME_WITHIN_MS = 1_000

const Holder = z.object({
  what: z.enum(['hub', 'recover']),
  pid: z.number(),
  start: z.string(),
  bootId: z.string(),
  host: z.string(),
  since: z.number(),
  /** The data folder in which it was written: a copy of the folder has another. */
  folder: z.string(),
})
type Holder = z.infer<typeof Holder>

/** Throws `ALREADY_RUNNING` with who holds it, or `STORAGE_UNAVAILABLE` where the file system knows no locks. */
export async function takeFolderLock(dataDir: string, what: Holder['what']): Promise<FileLock> {
  const holderFile = path.join(dataDir, 'hub.lock.json')
  const lock = lockOrTellWhy(path.join(dataDir, 'hub.lock'), () => readHolder(holderFile))
  if (lock === null) throw new CodedError('ALREADY_RUNNING', refusal(dataDir, await nameOfHolder(holderFile), what))
  sayWho(holderFile, what, dataDir)
  return {
    release() {
      rmSync(holderFile, { force: true })
      lock.release()
    },
  }
}

function lockOrTellWhy(file: string, written: () => Holder | null): FileLock | null {
  try {
    return tryFolderLock(file, written, PATIENCE_MS)
  } catch (cause) {
    if (cause instanceof InTheWay) throw new CodedError('STORAGE_UNAVAILABLE', cause.message, undefined, cause)
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CodedError('STORAGE_UNAVAILABLE', `${file} cannot be locked: ${why}.`, undefined, cause)
  }
}

/** One that died without a word may be named there until the new holder has written. */
async function nameOfHolder(file: string): Promise<Holder | null> {
  for (const end = performance.now() + NAME_WITHIN_MS; ; await pause(20)) {
    const holder = readHolder(file)
    if ((holder && isRunning(holder)) || performance.now() > end) return holder
  }
}

function readHolder(file: string): Holder | null {
  try {
    return Holder.parse(JSON.parse(readOwnFile(file)))
  } catch {
    return null
  }
}

/** On a full disk the lock holds all the same, only without a name. */
function sayWho(file: string, what: Holder['what'], dataDir: string): void {
  const self = folderOwner(dataDir) ?? { pid: process.pid, start: '', bootId: '', folder: '' }
  const holder: Holder = { what, ...self, host: os.hostname(), since: Date.now() }
  try {
    replaceOwnFile(file, `${JSON.stringify(holder)}\n`)
  } catch {}
}

function refusal(dataDir: string, holder: Holder | null, asked: Holder['what']): string {
  if (holder === null) return `Another process holds ${dataDir}, and has not said which it is.`
  const { what, pid, host, since } = holder
  const place = host !== os.hostname() ? ` on ${host}` : isRunning(holder) ? '' : ', which cannot be seen from here'
  const who = `(process ${pid}${place}, since ${new Date(since).toISOString()})`
  if (what === 'recover') return `npm run recover works on ${dataDir} ${who}. Run this again when it has ended.`
  const url = announcedUrl(dataDir, pid)
  const running = `A hub already runs on ${dataDir} ${who}${url ? ` at ${url}` : ''}.`
  if (asked === 'recover') return `${running} Stop the hub first, then run this again.`
  return `${running} One data folder has one hub: open that one, or end it first.`
}
