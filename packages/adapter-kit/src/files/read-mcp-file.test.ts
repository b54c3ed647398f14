import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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
    spawnSync('mkfifo', [join(folder, 'pipe')])
    symlinkSync('/dev/zero', join(folder, 'endless'))
    for (const path of [folder, ...['none.json', 'pipe', 'endless'].map((name) => join(folder, name))])
      await expect(readMcpFile(path)).rejects.toMatchObject(refusal)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
