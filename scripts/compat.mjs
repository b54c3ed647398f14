// npm run compat [-- COMMIT]. The real script is loaded once Node.js is known to be new enough.
import { refuseOldNode } from './lib/node-version.mjs'

refuseOldNode()
import('./lib/compat-run.mjs').then((script) => script.compat(process.argv.slice(2)))
