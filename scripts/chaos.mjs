// npm run chaos [-- --minutes N --seed N]. The real script is loaded once Node.js is known to be new enough.
import { refuseOldNode } from './lib/node-version.mjs'

refuseOldNode()
import('./lib/chaos-run.mjs').then((script) => script.chaos(process.argv.slice(2)))
