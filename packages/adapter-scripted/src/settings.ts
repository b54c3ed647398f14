/** From the contract's spawn options to the player's settings. What this backend does not know is refused here. */
import { readFileSync } from 'node:fs'
import {
  type BackendConfiguration,
  CodedError,
  type ManifestChoice,
  type SpawnOptions,
} from '@roundhouse/backend-types'
import { defaultOf, MISSING_MODEL, models, modes, thinkingOptions, windows } from './script/catalogue'
import type { Change, Settings } from './script/frames'
import { isRecord } from './script/script'

const taken: ManifestChoice[] = [...models, { code: MISSING_MODEL, label: MISSING_MODEL }]

export function settingsOf(options: SpawnOptions): Settings {
  const model = chosen('model', taken, options.model) ?? defaultOf(models)
  return {
    model,
    mode: chosen('mode', modes, options.mode) ?? defaultOf(modes),
    thinking: chosen('thinking', thinkingOptions, options.thinking) ?? defaultOf(thinkingOptions),
    sandbox: options.sandbox ?? 'workspace-write',
    ...(options.systemPrompt === undefined ? {} : { systemPrompt: options.systemPrompt }),
    additionalDirs: options.additionalDirs ?? [],
    allowedTools: options.allowedTools ?? [],
    disallowedTools: options.disallowedTools ?? [],
    mcpServers: options.mcpConfigPath === undefined ? [] : mcpServersOf(options.mcpConfigPath),
    maxOutputTokens: options.maxOutputTokens ?? windows[model]?.maxOutputTokens ?? 32_000,
  }
}

export function changeOf(change: BackendConfiguration): Change {
  const model = chosen('model', taken, change.model)
  const mode = chosen('mode', modes, change.mode)
  const thinking = chosen('thinking', thinkingOptions, change.thinking)
  return {
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(change.sandbox === undefined ? {} : { sandbox: change.sandbox }),
  }
}

function chosen(what: string, choices: ManifestChoice[], code: string | undefined): string | undefined {
  if (code === undefined || choices.some((choice) => choice.code === code)) return code
  const error = what === 'model' ? 'MODEL_UNAVAILABLE' : 'UNSUPPORTED'
  throw new CodedError(error, `The scripted backend has no ${what} "${code}".`, { field: what, [what]: code })
}

function mcpServersOf(path: string): string[] {
  try {
    const config: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const servers = isRecord(config) ? config.mcpServers : undefined
    if (isRecord(servers)) return Object.keys(servers)
  } catch (error) {
    throw new CodedError('INVALID_ARGUMENT', `The MCP configuration ${path} cannot be read.`, { path }, error)
  }
  throw new CodedError('INVALID_ARGUMENT', `${path} has no "mcpServers".`, { path })
}
