/**
 * Entry of a session host: `node host.js <sessionDir>`. In this order, and for these reasons: the lock (only its holder
 * may touch anything), the log with a raised lease, what the last host left open, `host.json`, the socket. From then on
 * a daemon may come and go; the host ends when it is idle, told to, or fenced.
 */
import { readFileSync } from 'node:fs'
import { takeSecret } from '../host-contract/host-door'
import { LaunchSpec } from '../host-contract/launch-spec'
import { sessionFiles } from '../host-contract/paths'
import { runHost } from './run-host'

process.umask(0o077)
const secret = takeSecret()
// Ctrl-C in a terminal and its hang-up are not for a host: it outlives the daemon.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})

const [, , sessionDir = process.cwd()] = process.argv
const launch = LaunchSpec.parse(JSON.parse(readFileSync(sessionFiles(sessionDir).launch, 'utf8')))
await runHost({ ...launch, sessionDir }, secret)
