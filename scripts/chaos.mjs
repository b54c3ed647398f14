// npm run chaos [-- --minutes N --seed N]. The real script is loaded once Node.js is known to be new enough.
import { refuseOldNode } from './lib/setup/node-version.mjs'

refuseOldNode()
void import('./lib/runs/chaos-run.mjs').then((script) => script.chaos(process.argv.slice(2)))
