/**
 * The MCP servers of a `mcpConfigPath` file in the words of Codex. The file has the usual shape:
 * `{ "mcpServers": { "<name>": { "command", "args", "env" } | { "url", "headers" } } }`. Pure.
 */

import { asRecord, asText, asTexts, compact, type Json } from '@roundhouse/adapter-kit/read'
import { CodedError, type SpawnOptions } from '@roundhouse/backend-types'

export function mcpServersOf(fileText: string): Json {
  let file: Json
  try {
    file = asRecord(JSON.parse(fileText))
  } catch (cause) {
    throw new CodedError('INVALID_ARGUMENT', 'The MCP configuration is not JSON.', { field: 'mcpConfigPath' }, cause)
  }
  const servers = Object.entries(asRecord(file.mcpServers)).map(([name, server]) => [
    name,
    serverOf(name, asRecord(server)),
  ])
  return Object.fromEntries(servers)
}

/** `SpawnOptions.mcpServers`. A tool of theirs may wait for somebody, and a busy machine starts them slowly: Codex would give up. */
export function ownServersOf(servers: NonNullable<SpawnOptions['mcpServers']>): Json {
  const patient = { startup_timeout_sec: 60, tool_timeout_sec: 24 * 3_600 }
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, { ...serverOf(name, server), ...patient }]),
  )
}

function serverOf(name: string, server: Json): Json {
  const command = asText(server.command)
  const url = asText(server.url)
  const headers = Object.keys(asRecord(server.headers)).length ? server.headers : undefined
  if (command !== undefined) {
    const env = Object.keys(asRecord(server.env)).length ? server.env : undefined
    return compact({ command, args: asTexts(server.args), env, cwd: asText(server.cwd) })
  }
  if (url !== undefined) return compact({ url, http_headers: headers })
  throw new CodedError('INVALID_ARGUMENT', `The MCP server "${name}" has neither a command nor a url.`, {
    field: 'mcpConfigPath',
  })
}
