/** Reads the file that `mcpConfigPath` names. Its content is for the adapter to parse. */
import { CodedError } from '@roundhouse/backend-types'
import { readOrdinary } from './read-notes'

const MAX_BYTES = 4 * 1024 * 1024

export async function readMcpFile(path: string): Promise<string> {
  const text = await readOrdinary(path, MAX_BYTES)
  if (text !== undefined) return text
  throw new CodedError('INVALID_ARGUMENT', 'The MCP configuration cannot be read.', { field: 'mcpConfigPath' })
}
