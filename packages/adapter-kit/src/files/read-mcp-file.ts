/** Reads the file that `mcpConfigPath` names. Its content is for the adapter to parse. */
import { readFile } from 'node:fs/promises'
import { CodedError } from '@roundhouse/backend-types'

export async function readMcpFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause) => {
    throw new CodedError('INVALID_ARGUMENT', 'The MCP configuration cannot be read.', { field: 'mcpConfigPath' }, cause)
  })
}
