// npm run pack:agent [-- FOLDER]. Makes the file that other machines install `roundhouse-agent` from.
import { refuseOldNode } from './lib/node-version.mjs'

refuseOldNode()
import('./lib/pack-agent-run.mjs').then((script) => script.packAgent(process.argv.slice(2)))
