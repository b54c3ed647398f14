/**
 * Entry of a session host: `node host.js <sessionDir>`. In this order, and for these reasons: the lock (only its holder
 * may touch anything), the log with a raised lease, what the last host left open, `host.json`, the socket. From then on
 * a daemon may come and go; the host ends when it is idle, told to, or fenced. Where the machine has no room for what it
 * opens on that way, or another host holds the lock, it says so by its exit code, and the daemon tries again.
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
// Ctrl-C in a terminal and its hang-up are not for a host: it outlives the daemon.
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
  console.error('the machine has no room for this host', error)
  process.exit(LACKING_EXIT)
}

/** What SQLite cannot open for want of a descriptor, it only says that it cannot open. */
function canOpen(): boolean {
  try {
    closeSync(openSync(devNull, 'r'))
    return true
  } catch {
    return false
  }
}
