// npm start [-- --own-sessions]. The real script is loaded once Node.js is known to be new enough.
import { refuseOldNode } from './lib/setup/node-version.mjs'

refuseOldNode()
void import('./lib/start/start-run.mjs').then((script) => script.start(process.argv.slice(2)))
