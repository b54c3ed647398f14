import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readMcpFile } from './read-mcp-file'

it('reads the MCP configuration, and names the option if the file cannot be read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rh-mcp-'))
  try {
    writeFileSync(join(folder, 'mcp.json'), '{}')
    expect(await readMcpFile(join(folder, 'mcp.json'))).toBe('{}')
    const refusal = { code: 'INVALID_ARGUMENT', details: { field: 'mcpConfigPath' } }
    for (const path of [folder, join(folder, 'none.json')])
      await expect(readMcpFile(path)).rejects.toMatchObject(refusal)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
