/** Entry of the MCP server that a session host gives its program: `node tools.js`. The rest of the agent is not loaded. */
import { outliveOwnOutput } from '../files/log-line'
import { runTools } from './run-tools'

outliveOwnOutput()
process.exitCode = await runTools(process.env)
