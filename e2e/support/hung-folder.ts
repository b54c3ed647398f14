/**
 * A folder on a disk that never answers, as on a network that is gone: a file system of ours (FUSE) whose questions nobody
 * reads. Where that cannot be had, the reason is returned instead: skip with it.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

export interface HungFolder {
  /** From now on the folder is an ordinary one again, and whoever waits for it goes on. */
  answers(): void
}

/** `folder` is there and empty. */
export function hangFolder(folder: string): HungFolder | string {
  let questions: number
  try {
    questions = openSync('/dev/fuse', 'r+')
  } catch (error) {
    return `there is no FUSE here: ${String(error).split('\n', 1)[0]}`
  }
  const close = () => closeSync(questions)
  try {
    const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
    execFileSync('mount', ['-i', '-n', '-t', 'fuse', '-o', options, 'roundhouse-test', folder], {
      stdio: ['ignore', 'pipe', 'pipe', questions],
    })
  } catch (error) {
    close()
    return `FUSE cannot be mounted here: ${String(error).split('\n', 1)[0]}`
  }
  return {
    answers() {
      execFileSync('umount', ['-l', folder], { stdio: 'pipe' })
      close()
    },
  }
}
