/**
 * Where the hub's log goes. A file may lie on a disk that is full or fails: then lines wait here, as many as there is room
 * for, the next line tries again, and nobody who logs hears of it. Anything else (a pipe, a terminal) is left to pino.
 */
import { fstatSync, writeSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'

const STDOUT = 1
const WAITING_BYTES = 256 * 1024

export function ownLog(): DestinationStream {
  // What is printed beside the log has no other listener.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return isStream(STDOUT) ? pino.destination(STDOUT) : logFile((bytes) => writeSync(STDOUT, bytes))
}

function isStream(descriptor: number): boolean {
  const found = fstatSync(descriptor)
  return found.isFIFO() || found.isSocket() || (found.isCharacterDevice() && process.stdout.isTTY)
}

/**
 * Writes at once. A line that was cut short by a full disk is completed before the next one. `append` returns how many
 * bytes were taken, or throws what the system says; no more than `most` bytes wait.
 */
export function logFile(append: (bytes: Buffer) => number, most = WAITING_BYTES): DestinationStream {
  let waiting = Buffer.alloc(0)
  const flush = () => {
    try {
      while (waiting.length > 0) waiting = waiting.subarray(append(waiting))
    } catch {
      // The next line tries again.
    }
  }
  return {
    write(line) {
      flush()
      if (waiting.length > 0 && waiting.length + Buffer.byteLength(line) > most) return
      waiting = Buffer.concat([waiting, Buffer.from(line)])
      flush()
    },
  }
}
