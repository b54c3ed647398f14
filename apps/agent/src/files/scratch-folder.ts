/**
 * The folder for programs' temporary files. It is outside the agent's home, because programs may not name anything inside it
 * (POL-4). Each session has its own subfolder, which is removed with the session's host.
 */
import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import { hadBegun } from '@roundhouse/owner'
import { type AgentHome, homeMark } from './agent-home'
import { isInside } from './is-inside'
import { makePrivate } from './private-folder'

/** Beside the home; where that folder cannot be made, among the system's temporary files. */
export function scratchFolder(home: AgentHome): string {
  const candidates = [
    `${home.home}-scratch`,
    path.join(os.tmpdir(), `roundhouse-scratch-${os.userInfo().uid}-${homeMark(home)}`),
  ]
  const found = candidates.find((folder) => !isInside(folder, home.home) && makePrivate(folder))
  if (found !== undefined) return found
  throw new CodedError(
    'STATE_UNWRITABLE',
    `There is no private folder for temporary files. Create ${candidates[0]} with mode 0700.`,
  )
}

/** A folder in it, private as well. */
export function makeScratch(folder: string): string {
  if (makePrivate(path.dirname(folder)) && makePrivate(folder)) return folder
  throw new CodedError('STATE_UNWRITABLE', `The folder ${folder} for temporary files is not private.`)
}

/** The folder for a look at a program of this kind, by this process. Removes those of processes that are gone. */
export function makeAskedScratch(scratch: string, kind: string): string {
  for (const name of namesIn(scratch)) {
    const pid = Number(/^\.asked-.+-(\d+)$/.exec(name)?.[1] ?? 0)
    if (pid > 0 && !isOfLiving(pid, path.join(scratch, name))) removeLeftScratch(path.join(scratch, name))
  }
  return makeScratch(path.join(scratch, `.asked-${kind}-${process.pid}`))
}

function isOfLiving(pid: number, folder: string): boolean {
  try {
    return hadBegun(pid, lstatSync(folder).mtimeMs)
  } catch {
    return true // nobody can look now
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Takes it away, and the folder around it once that is empty. */
export function removeScratch(folder: string): void {
  removeLeftScratch(folder)
  try {
    rmdirSync(path.dirname(folder))
  } catch {
    // Another session still has its own there.
  }
}

/** As far as it can be removed: a program may have left folders in which nothing may be changed. */
export function removeLeftScratch(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {}
}
