/** The programs of `bench/servers` that print, as a machine's policy names them: in the place of Claude Code, and as `printer`. */
import { chmodSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../../e2e/support/common/until'
import type { System } from '../../e2e/support/processes/system'

const program = (name: string) => {
  const file = fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url))
  chmodSync(file, 0o755)
  return file
}

/** Resolves when the machine offers both. */
export async function withPrinters({ agent, hub }: System): Promise<void> {
  const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
  const backends = { ...policy.backends, claude: { path: program('frame-printer') } }
  const programs = {
    printer: { argv: [process.execPath, program('acp-printer')], profile: 'generic', label: 'Printer' },
  }
  agent.writePolicy({ ...policy, backends, programs })
  const { rest, close } = await hub.client()
  try {
    await until('the machine to offer the printers', async () => {
      const offered = (await rest.agents()).items[0]?.manifest?.backends ?? []
      return ['claude', 'printer'].every((kind) => offered.some((one) => one.kind === kind && one.installed))
    })
  } finally {
    close()
  }
}
