/** A bench around a real program: its scripted model, its private surroundings, and what the model was given. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AdapterContext, type BackendAdapter, OWN_SERVER } from '@roundhouse/backend-types'
import { expect } from 'vitest'
import type { Environment } from '../../../e2e/real-backends/environment.mjs'
import type { ModelServer } from '../../../e2e/real-backends/model-servers/server.mjs'
import type { Bench, FieldRule } from './rig/harness'
import { markedBy } from './rig/leftovers'
import { allowAll } from './rig/recorder'

export interface RealProgram {
  startModel(): Promise<ModelServer>
  surround(modelUrl: string): Environment
  adapterFor(context: AdapterContext): BackendAdapter
  bin: string
}

export async function realBench({ startModel, surround, adapterFor, bin }: RealProgram): Promise<Bench> {
  const model = await startModel()
  const { env, root, scratchDir, workDir, otherDir, remove } = surround(model.url)
  // As in production, where the agent's own places are always denied.
  const deny = { tools: [], paths: [join(root, 'agent')] }
  mkdirSync(join(root, 'agent'))
  return {
    adapter: adapterFor({ env, scratchDir, binaryPath: bin, deny, markedBy }),
    workDir,
    otherDir,
    modelView: async () => model.lastView(),
    requests: () => model.requests.map(({ body }) => body),
    async dispose() {
      await model.close()
      remove()
    },
  }
}

const mcpServers = {
  sums: './fixtures/mcp-server.mjs',
  asking: './fixtures/asking-mcp-server.mjs',
  images: './fixtures/images-mcp-server.mjs',
} as const
type McpServerName = keyof typeof mcpServers

export const serverOf = (name: McpServerName) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(mcpServers[name], import.meta.url))],
})

/**
 * `SpawnOptions.mcpServers` beside `mcpConfigPath`: the tools of both are there, whoever else has the reserved name is refused.
 * `calls`: a script in which the model calls these tools.
 */
export const ownServerRule = (calls: (...tools: Array<{ server: string; tool: string }>) => string): FieldRule => ({
  kind: 'effect',
  title: 'adds the tools of the session host, and nobody else has the name of its server',
  async check({ bench: { otherDir, adapter, workDir }, start }) {
    const mcpServers = { [OWN_SERVER]: serverOf('sums') }
    const recorder = await start({ mcpServers, mcpConfigPath: writeMcpConfig(otherDir, 'sums') })
    const turn = await recorder.turn(
      calls({ server: OWN_SERVER, tool: 'add' }, { server: 'sums', tool: 'add' }),
      allowAll,
    )
    const results = turn.outputs.filter(({ kind }) => kind === 'tool_result')
    expect(results.map((result) => JSON.stringify(result).includes('sum 42'))).toEqual([true, true])
    const namesake = join(otherDir, 'namesake.json')
    writeFileSync(namesake, JSON.stringify({ mcpServers: { RoundHouse: serverOf('sums') } }))
    const refused = adapter.spawn({ sessionId: 'namesake', workDir, mcpServers, mcpConfigPath: namesake })
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { server: 'RoundHouse' } })
  },
})

/**
 * An MCP configuration with these servers: `sums`, whose tool `add` answers `sum <a + b>`, `asking`, whose tool `ask` shows
 * the person a form and answers what came back, and `images`, whose tool `image` answers the image at a path.
 */
export function writeMcpConfig(folder: string, ...names: [McpServerName, ...McpServerName[]]): string {
  const file = join(folder, 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, serverOf(name)])) }))
  return file
}
