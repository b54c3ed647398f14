/** Writes events without pause and prints the head after every commit, until it is killed. For the crash test of the log. */
import { writeSync } from 'node:fs'
import { SessionLog } from '../log/session-log'

const [, , sessionDir = ''] = process.argv
const log = SessionLog.open(sessionDir, {
  redact: (text) => ({ text, count: 0 }),
  now: Date.now,
  committed: (head) => writeSync(1, `${head}\n`),
})

function burst(): void {
  for (let i = 0; i < 20; i++) {
    const text = `event ${log.lastSeq + 1} ${'x'.repeat(200)}`
    void log.append({ kind: 'assistant_text', text }, { meta: { last: String(log.lastSeq + 1) } })
  }
  setImmediate(burst)
}
burst()
