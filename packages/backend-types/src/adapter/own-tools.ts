/**
 * The MCP server by which a program of a session speaks to its session host, and the tools on it. The host answers the requests for
 * exactly these tools itself, so no other server may have the name.
 */
import { CodedError } from '../common/errors'
import { mcpToolName } from './mcp-tool'

export const OWN_SERVER = 'roundhouse'

export const ownTools = [
  'publish_event',
  'publish_phase',
  'complete',
  'ask_orchestrator',
  'read_commands',
  'send_message',
  'spawn_session',
  'wait_sessions',
  'read_session',
] as const
export type OwnTool = (typeof ownTools)[number]

const ownToolNames: ReadonlySet<string> = new Set(ownTools.map((tool) => mcpToolName(OWN_SERVER, tool)))

/** By the exact name, as programs ask about it: `mcp__roundhouse__publish_event`. */
export const isOwnTool = (toolName: string): boolean => ownToolNames.has(toolName)

/**
 * Also a name that only looks like ours, and one that begins with it: a program may replace signs of a name, or write the name of a
 * tool as `server_tool`.
 */
export function isReservedServer(name: string): boolean {
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^_+/, '')
  return plain === OWN_SERVER || plain.startsWith(`${OWN_SERVER}_`)
}

/** `from`: the field or the file that names them. */
export function requireUnreserved(names: readonly string[], from: string): void {
  const reserved = names.find(isReservedServer)
  if (reserved === undefined) return
  throw new CodedError(
    'INVALID_ARGUMENT',
    `The name "${reserved}" of an MCP server is reserved for Roundhouse (${from}).`,
    {
      field: from,
      server: reserved,
    },
  )
}
