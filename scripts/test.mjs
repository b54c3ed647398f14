// npm test [-- --only unit|faults|e2e|real] [--grep TEXT] [--more]. The real script is loaded once Node.js is known to be new enough.
import { refuseOldNode } from './lib/setup/node-version.mjs'

refuseOldNode()
void import('./lib/runs/test-run.mjs').then((script) => script.runTests(process.argv.slice(2)))
