// npm run compat [-- COMMIT]. The real script is loaded once Node.js is known to be new enough.
import { refuseOldNode } from './lib/setup/node-version.mjs'

refuseOldNode()
void import('./lib/runs/compat-run.mjs').then((script) => script.compat(process.argv.slice(2)))
