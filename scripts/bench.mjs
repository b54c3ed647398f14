// npm run bench [-- --reps N] [--only P1,P2]. The real script is loaded once Node.js is known to be new enough.
import { refuseOldNode } from './lib/setup/node-version.mjs'

refuseOldNode()
void import('./lib/runs/bench-run.mjs').then((script) => script.bench(process.argv.slice(2)))
