// Where a run's tests keep their files: in memory, where there is room. What is tested survives processes that are killed, not a
// power cut, and on a disk many tests mostly wait for their commits to reach it.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const MEMORY = '/dev/shm'
/** A whole run needs less than 2 GiB at once. */
const ROOM_BYTES = 6 * 2 ** 30

/**
 * A folder for `TMPDIR`, and how to remove it; null where the disk has to do.
 * @returns {{ folder: string, remove: () => void } | null}
 */
export function folderInMemory(memory = MEMORY) {
  if (os.freemem() < ROOM_BYTES || roomOf(memory) < ROOM_BYTES) return null
  // A short name: sockets lie below, and their paths may have 107 bytes.
  const folder = mkdtempSync(path.join(memory, 'rh-'))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  if (runsPrograms(folder)) return { folder, remove }
  remove()
  return null
}

function roomOf(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}

/** In a container, this folder is often small, and programs may not run in it. */
function runsPrograms(folder) {
  const program = path.join(folder, 'program')
  try {
    writeFileSync(program, '#!/bin/sh\n')
    chmodSync(program, 0o700)
    execFileSync(program)
    return true
  } catch {
    return false
  } finally {
    rmSync(program, { force: true })
  }
}
