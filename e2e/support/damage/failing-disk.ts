/**
 * Disks that fail, for the processes of a test.
 *
 * `failingDisk`: writes, flushes, creations or reads of a process below a folder fail while the test says so. It is a
 * library that is loaded before the C library, in that process and in its child processes. `smallDisk`: a real file
 * system of a few megabytes in memory. If one of them is not available, the reason is returned: skip the test with it.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { freshFolder } from '../common/paths'

/** `make`: creating a file or a folder, and renaming. Existing files can still be opened. */
export type DiskCall = 'write' | 'sync' | 'make' | 'read'

export interface Failure {
  /** EIO by default. */
  error?: 'EIO' | 'ENOSPC' | 'EDQUOT' | 'EROFS' | 'EPERM'
  /** All except `read` by default. */
  calls?: readonly DiskCall[]
  /** Only paths that contain this, for example `-wal` or a session's id. */
  paths?: string
}

export interface FailingDisk {
  /** The environment for the affected process: the hub or the agent. */
  env: Record<string, string>
  /** Fails from now on, until `heals`. */
  fails(how?: Failure): void
  heals(): void
  /** How many calls it has failed so far, in all processes. */
  failed(): number
  /** Removes the library. The processes continue. */
  close(): void
}

/** `folder` by its real path; it need not exist yet. */
export function failingDisk(folder: string): FailingDisk | string {
  const home = freshFolder('failing-disk')
  const library = path.join(home, 'failing-disk.so')
  const source = path.join(import.meta.dirname, 'failing-disk.c')
  try {
    execFileSync('gcc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], { stdio: 'pipe' })
  } catch (error) {
    rmSync(home, { recursive: true })
    return `the library cannot be built here: ${String(error).split('\n', 1)[0]}`
  }
  const on = path.join(home, 'on')
  const count = path.join(home, 'count')
  return {
    env: { LD_PRELOAD: library, FAILING_DISK_FOLDER: folder, FAILING_DISK_SWITCH: on, FAILING_DISK_COUNT: count },
    fails({ error = 'EIO', calls = ['write', 'sync', 'make'], paths = '' } = {}) {
      writeFileSync(`${on}.new`, `${constants.errno[error]}\n${calls.join(',')}\n${paths}\n`)
      renameSync(`${on}.new`, on)
    },
    failed: () => statSync(count, { throwIfNoEntry: false })?.size ?? 0,
    heals: () => rmSync(on, { force: true }),
    close: () => rmSync(home, { recursive: true, force: true }),
  }
}

export interface SmallDisk {
  /** The root of the file system. */
  folder: string
  /** Uses all free space except this many bytes. */
  fill(leaveBytes?: number): void
  /** Frees that space. */
  free(): void
  /** After the processes on it have ended. */
  close(): void
}

export function smallDisk(mebibytes: number): SmallDisk | string {
  const folder = freshFolder('small-disk')
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'roundhouse-test', folder], {
      stdio: 'pipe',
    })
  } catch (error) {
    rmSync(folder, { recursive: true })
    return `a small file system cannot be mounted here: ${String(error).split('\n', 1)[0]}`
  }
  const ballast = path.join(folder, 'ballast')
  return {
    folder,
    fill(leaveBytes = 0) {
      if (!existsSync(ballast)) mkdirSync(ballast)
      const { bavail, bsize } = statfsSync(folder)
      const bytes = Math.max(0, bavail * bsize - leaveBytes)
      try {
        writeFileSync(path.join(ballast, `${Date.now()}-${Math.random()}`), Buffer.alloc(bytes))
      } catch (error) {
        // Another process used the last of it meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    free: () => rmSync(ballast, { recursive: true, force: true }),
    close() {
      execFileSync('umount', ['-l', folder], { stdio: 'pipe' })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
