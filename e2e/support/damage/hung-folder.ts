/**
 * A folder on a disk that never answers, like a lost network: a FUSE file system whose requests nobody reads. If
 * requests are read and not answered, the kernel cannot even end the waiting process. If no such folder is available,
 * the reason is returned: skip the test with it.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'

export interface HungFolder {
  /** From now on the folder is ordinary again, and waiting processes continue. */
  answers(): void
}

/** `folder` must exist and be empty. */
export function hangFolder(folder: string, { reads = false } = {}): HungFolder | string {
  let questions: number
  try {
    questions = openSync('/dev/fuse', constants.O_RDWR | constants.O_NONBLOCK)
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
  const reading = reads ? setInterval(() => readOne(questions), 10) : undefined
  return {
    answers() {
      clearInterval(reading)
      // Forced: waiting calls get an error, and their processes continue.
      execFileSync('umount', ['-f', '-l', folder], { stdio: 'pipe' })
      close()
    },
  }
}

const FIRST_QUESTION = 26 // FUSE_INIT

/** Only the first question gets an answer, because the kernel asks no other before it. */
function readOne(questions: number): void {
  const asked = Buffer.alloc(256 * 1024)
  try {
    readSync(questions, asked)
  } catch {
    return // nobody asks
  }
  if (asked.readUInt32LE(4) !== FIRST_QUESTION) return
  const answer = Buffer.alloc(16 + 64)
  answer.writeUInt32LE(answer.length, 0)
  asked.copy(answer, 8, 8, 16) // which question it answers
  answer.writeUInt32LE(7, 16)
  answer.writeUInt32LE(31, 20) // version 7.31 of the protocol
  answer.writeUInt32LE(128 * 1024, 36) // the largest write
  writeSync(questions, answer)
}
