/**
 * Keeps the name of the session host's own MCP server free (`SpawnOptions.mcpServers`): no other server of the session may have it
 * or one like it, whether a hub named it (`mcpConfigPath`) or a repository that the policy trusts.
 */
import { realpath } from 'node:fs/promises'
import {
  CodedError,
  isReservedServer,
  OWN_SERVER,
  requireUnreserved,
  type SpawnOptions,
} from '@roundhouse/backend-types'
import { readStart } from '../files/read-notes'
import { asRecord } from '../wire/read'
import { keysLike, MOST_MENTIONS, mentionsOf } from './keys-like'

const MAX_BYTES = 1024 * 1024
/** What programs call their lists of servers. */
const lists = ['mcpServers', 'mcp_servers', 'mcp'] as const
/** `files`: what a repository may configure for this program, and is loaded. Throws where one of them takes the name. */
export async function requireOwnName(
  options: Pick<SpawnOptions, 'mcpServers'>,
  { given = [], files = [] }: { given?: readonly string[]; files?: readonly string[] },
): Promise<void> {
  if (options.mcpServers === undefined) return
  requireUnreserved(given, 'mcpConfigPath')
  for (const file of files) {
    const text = await realpath(file).then(
      (real) => readStart(real, MAX_BYTES + 1),
      () => undefined,
    )
    if (text !== undefined && !isJudged(text))
      throw new CodedError('POLICY_DENIED', `${file} is too long to be judged, so the session does not start.`, {
        rule: 'reservedServer',
        file,
      })
    const name = text === undefined ? undefined : namesakeIn(text)
    if (name === undefined) continue
    throw new CodedError(
      'POLICY_DENIED',
      `${file} names an MCP server "${name}". That name is reserved for Roundhouse, so the session does not start in this folder.`,
      { rule: 'reservedServer', server: name, file },
    )
  }
}

/** Neither padding nor a great number of names keeps us from the one that counts. */
const isJudged = (text: string): boolean =>
  Buffer.byteLength(text) <= MAX_BYTES && (isJson(text) || mentionsOf(OWN_SERVER, text) <= MOST_MENTIONS)

/** The names of servers in a configuration file. Empty where it is no JSON: then its program judges it. */
export function serverNamesIn(text: string): string[] {
  try {
    const file = asRecord(JSON.parse(text))
    return lists.flatMap((list) => Object.keys(asRecord(file[list])))
  } catch {
    return []
  }
}

function namesakeIn(text: string): string | undefined {
  const named = serverNamesIn(text).find(isReservedServer)
  if (named !== undefined || isJson(text)) return named
  return keysLike(OWN_SERVER, text).find(isReservedServer)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
