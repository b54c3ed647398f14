// npm run dev: the hub from source with hot reload, and its own agent, beside an npm start that may run.
import { refuseOldNode } from './lib/setup/node-version.mjs'

refuseOldNode()
void import('./lib/start/start-run.mjs').then((script) => script.start(process.argv.slice(2), { dev: true }))
