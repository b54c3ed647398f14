// npm run figures [-- bus|runs]. The real script is loaded once Node.js is known to be new enough.
import { refuseOldNode } from './lib/setup/node-version.mjs'

refuseOldNode()
void import('./lib/runs/figures-run.mjs').then((script) => script.figures(process.argv.slice(2)))
