/** One call of a tool from the command line. */
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { CodedError, type OwnTool } from '@roundhouse/backend-types'
import { openTools } from './open-tools'

/** `given` null: from stdin. Returns the answer as one line. */
export async function publish(
  env: Readonly<Record<string, string | undefined>>,
  tool: OwnTool,
  given: string | null,
): Promise<string> {
  const input = readInput(given ?? (await text(process.stdin)))
  const client = await openTools(env)
  try {
    return JSON.stringify(await client.call({ callId: randomUUID(), tool, input }))
  } finally {
    client.close()
  }
}

function readInput(json: string): unknown {
  if (json.trim() === '') return {}
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new CodedError('INVALID_ARGUMENT', 'What is published must be JSON.', undefined, cause)
  }
}
