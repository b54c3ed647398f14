// npm run storm, screens, matrix, programs, conversation. The real script is loaded once Node.js is known to be new enough.
import { refuseOldNode } from './lib/setup/node-version.mjs'

refuseOldNode()
void import('./lib/runs/long-runs.mjs').then((script) => script.runLong(process.argv[2], process.argv.slice(3)))
