/** Entry of the asker: `node ask.js`. Says what one backend can do, in one line, and ends when whoever asked has gone. */
import { createInterface } from 'node:readline'
import { toCodedError } from '@roundhouse/backend-types'
import { createRedactor, credentialsOf } from '../redact/redactor'
import { loadAdapter } from './program/adapter-loader'

interface Question {
  kind: string
  playerPath: string
  scratchDir: string
  binaryPath?: string
}

const say = (reply: object) => void process.stdout.write(`${JSON.stringify(reply)}\n`)

async function answer({ kind, playerPath, ...place }: Question): Promise<void> {
  try {
    const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']))
    const adapter = await loadAdapter(kind, { ...place, env }, playerPath)
    const redact = createRedactor(credentialsOf(env))
    const entry = await adapter.getManifest()
    // It may quote what the program printed (LOG-9).
    const why = entry.unavailableReason
    say({ entry: why === undefined ? entry : { ...entry, unavailableReason: redact(why).text } })
  } catch (error) {
    say({ error: toCodedError(error).toBody() })
  }
}

process.stdout.on('error', () => process.exit(1))
const lines = createInterface({ input: process.stdin })
// Not `exit`: it would wait for what does not answer.
lines.on('line', (line) => void answer(JSON.parse(line))).on('close', () => process.kill(process.pid, 'SIGKILL'))
