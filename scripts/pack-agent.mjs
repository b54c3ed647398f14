// npm run pack:agent [-- FOLDER]. Makes the file that other machines install `roundhouse-agent` from.
import { refuseOldNode } from './lib/setup/node-version.mjs'

refuseOldNode()
void import('./lib/runs/pack-agent-run.mjs').then((script) => script.packAgent(process.argv.slice(2)))
