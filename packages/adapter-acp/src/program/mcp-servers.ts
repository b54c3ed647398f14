/**
 * Translates the MCP servers of a `mcpConfigPath` file into the form of the protocol. The file has the usual shape:
 * `{ "mcpServers": { "<name>": { "command", "args", "env" } | { "url", "type", "headers" } } }`. Pure.
 */

import { asList, asRecord, asText, type Json } from '@roundhouse/adapter-kit/read'
import { CodedError, type SpawnOptions } from '@roundhouse/backend-types'

export function mcpServersOf(fileText: string): Json[] {
  let file: Json
  try {
    file = asRecord(JSON.parse(fileText))
  } catch (cause) {
    throw new CodedError('INVALID_ARGUMENT', 'The MCP configuration is not JSON.', { field: 'mcpConfigPath' }, cause)
  }
  return Object.entries(asRecord(file.mcpServers)).map(([name, server]) => serverOf(name, asRecord(server)))
}

function serverOf(name: string, server: Json): Json {
  const command = asText(server.command)
  const url = asText(server.url)
  if (command !== undefined) {
    const args = asList(server.args).filter((one) => typeof one === 'string')
    return { name, command, args, env: pairsOf(server.env) }
  }
  if (url !== undefined)
    return { type: server.type === 'sse' ? 'sse' : 'http', name, url, headers: pairsOf(server.headers) }
  throw new CodedError('INVALID_ARGUMENT', `The MCP server "${name}" has neither a command nor a url.`, {
    field: 'mcpConfigPath',
  })
}

/** `SpawnOptions.mcpServers`. */
export const ownServersOf = (servers: SpawnOptions['mcpServers'] = {}): Json[] =>
  Object.entries(servers).map(([name, server]) => serverOf(name, server))

const pairsOf = (members: unknown) =>
  Object.entries(asRecord(members)).flatMap(([name, value]) => (typeof value === 'string' ? [{ name, value }] : []))
