/** What the scripted backend offers, and whether its player runs. Never rejects. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { askVersion } from '@roundhouse/adapter-kit'
import { type BackendManifestEntry, toCodedError } from '@roundhouse/backend-types'
import { about } from './script/about'
import { accepted, capabilities, models, modes, sandboxes, thinkingOptions } from './script/catalogue'

const VERSION_TIMEOUT_MS = 8_000

export async function manifestOf(player: string, env: Record<string, string>): Promise<BackendManifestEntry> {
  const offer = { ...about, models, modes, sandboxes, thinkingOptions, capabilities, accepted }
  if (!existsSync(player)) return { ...offer, installed: false, unavailableReason: `The player ${player} is missing.` }
  try {
    const question = {
      name: 'scripted-cli',
      file: process.execPath,
      args: [player],
      env,
      timeoutMs: VERSION_TIMEOUT_MS,
    }
    const version = await askVersion({ ...question, workDir: dirname(player) })
    return { ...offer, installed: true, version, binaryPath: player }
  } catch (error) {
    const { cause } = toCodedError(error)
    const why = cause instanceof Error ? cause.message.split('\n')[0] : 'it printed no version'
    return { ...offer, installed: false, unavailableReason: `The player does not run: ${why}`, binaryPath: player }
  }
}
