/** What the scripted backend offers, and whether its player runs. Never rejects. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { BackendManifestEntry } from '@roundhouse/backend-types'
import { capabilities, LABEL, models, modes, sandboxes, thinkingOptions } from './script/catalogue'

const VERSION_TIMEOUT_MS = 8_000

export async function manifestOf(player: string, env: Record<string, string>): Promise<BackendManifestEntry> {
  const offer = { kind: 'scripted', label: LABEL, models, modes, sandboxes, thinkingOptions, capabilities }
  if (!existsSync(player)) return { ...offer, installed: false, unavailableReason: `The player ${player} is missing.` }
  const version = await versionOf(player, env)
  return 'failed' in version
    ? { ...offer, installed: false, unavailableReason: version.failed, binaryPath: player }
    : { ...offer, installed: true, version: version.version, binaryPath: player }
}

function versionOf(player: string, env: Record<string, string>): Promise<{ version: string } | { failed: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [player, '--version'], { env, timeout: VERSION_TIMEOUT_MS }, (error, stdout) => {
      const version = /^scripted-cli (\S+)/.exec(stdout)?.[1]
      if (version) resolve({ version })
      else resolve({ failed: `The player does not run: ${error?.message.split('\n')[0] ?? 'it printed no version'}` })
    })
  })
}
