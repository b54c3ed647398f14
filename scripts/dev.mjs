// npm run dev: the hub from source with hot reload, and an agent of its own, beside whatever npm start runs.
import { refuseOldNode } from './lib/setup/node-version.mjs'

refuseOldNode()
import('./lib/start/start-run.mjs').then((script) => script.start(process.argv.slice(2), { dev: true }))
