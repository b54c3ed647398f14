/**
 * Entry of the asker, `node ask.js`. Prints the capabilities of one backend in one line. Ends when the asking process
 * is gone.
 */
import { createInterface } from 'node:readline'
import { toCodedError } from '@roundhouse/backend-types'
import type { NamedProgram } from '../host-contract/launch-spec'
import { createRedactor, credentialsOf } from '../redact/redactor'
import { loadAdapter } from './program/adapter-loader'

interface Question {
  kind: string
  program?: NamedProgram
  playerPath: string
  scratchDir: string
  modelsFolder?: string
  binaryPath?: string
}

const say = (reply: object) => void process.stdout.write(`${JSON.stringify(reply)}\n`)

async function answer({ kind, program, playerPath, ...place }: Question): Promise<void> {
  try {
    const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']))
    const adapter = await loadAdapter({ kind, program }, { ...place, env }, playerPath)
    const redact = createRedactor(credentialsOf(env))
    const entry = await adapter.getManifest()
    // The reason may quote what the program printed (LOG-9).
    const why = entry.unavailableReason
    say({ entry: why === undefined ? entry : { ...entry, unavailableReason: redact(why).text } })
  } catch (error) {
    say({ error: toCodedError(error).toBody() })
  }
}

process.stdout.on('error', () => process.exit(1))
const lines = createInterface({ input: process.stdin })
// SIGKILL rather than `exit`, which would wait for an adapter that does not answer.
lines.on('line', (line) => void answer(JSON.parse(line))).on('close', () => process.kill(process.pid, 'SIGKILL'))
