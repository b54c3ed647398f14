/**
 * Entry of a session host, `node host.js <sessionDir>`. The order has reasons: first the lock (only its holder may
 * touch anything), then the log with a raised lease, then what the previous host left open, `host.json`, and the
 * socket. From then on daemons may come and go. The host ends when it is idle, told to end, or fenced. If the machine
 * lacks the resources to start it, or another host holds the lock, the exit code says so, and the daemon tries again.
 */
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { isLack } from '@roundhouse/backend-types'
import { readOwnFile } from '@roundhouse/owner'
import { outliveOwnOutput } from '../files/log-line'
import { takeSecret } from '../host-contract/host-door'
import { HELD_EXIT, LACKING_EXIT, LaunchSpec } from '../host-contract/launch-spec'
import { sessionFiles } from '../host-contract/paths'
import { HeldByAnotherHost } from './lock'
import { runHost } from './run-host'

process.umask(0o077)
outliveOwnOutput()
const secret = takeSecret()
// Ctrl-C and a hang-up of the terminal do not end a host: it outlives the daemon.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})

const [, , sessionDir = process.cwd()] = process.argv
try {
  const launch = LaunchSpec.parse(JSON.parse(readOwnFile(sessionFiles(sessionDir).launch)))
  await runHost({ ...launch, sessionDir }, secret)
} catch (error) {
  if (error instanceof HeldByAnotherHost) {
    console.error(error.message)
    process.exit(HELD_EXIT)
  }
  if (!isLack(error) && canOpen()) throw error
  console.error('the machine lacks the resources for this host', error)
  process.exit(LACKING_EXIT)
}

/** SQLite reports a missing file descriptor only as a file that it cannot open. */
function canOpen(): boolean {
  try {
    closeSync(openSync(devNull, 'r'))
    return true
  } catch {
    return false
  }
}
