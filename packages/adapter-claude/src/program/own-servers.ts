/** The session host's own MCP server beside the others of a session. */
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readMcpFile, requireOwnName, serverNamesIn } from '@roundhouse/adapter-kit'
import type { SpawnOptions } from '@roundhouse/backend-types'
import { foldersAbove } from './notes-files'
import { type ProjectPlace, realPlace } from './project-notes'

/** Throws where the hub's servers, or those of a repository that the CLI loads, take its name. */
export async function requireOwnServers(
  options: SpawnOptions,
  { isTrusted, ...place }: ProjectPlace & { isTrusted: boolean },
): Promise<void> {
  if (options.mcpServers === undefined) return
  const { workDir } = place
  const path = options.mcpConfigPath
  // What cannot be read, the CLI itself refuses.
  const given = path === undefined ? '' : await readMcpFile(resolve(workDir, path)).catch(() => '')
  const folders = isTrusted ? foldersAbove(await realPlace(place)) : []
  await requireOwnName(options, {
    given: serverNamesIn(given),
    files: folders.map((folder) => join(folder, '.mcp.json')),
  })
}

/** In the folder of this session's program. The next start writes it again. */
export async function ownServersFile({ mcpServers }: SpawnOptions, scratchDir: string): Promise<string | undefined> {
  if (mcpServers === undefined) return undefined
  const file = join(scratchDir, 'own-servers.json')
  await writeFile(file, JSON.stringify({ mcpServers }), { mode: 0o600 })
  return file
}
