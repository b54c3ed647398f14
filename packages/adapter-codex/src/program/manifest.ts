/**
 * What Codex on this machine can do. Asked of a short-lived app-server, because only the program itself knows its
 * version and its models. Never rejects, and ends that app-server whatever happens.
 */

import type { Rpc } from '@roundhouse/adapter-kit'
import { asList, asRecord, asText, compact, type Json } from '@roundhouse/adapter-kit/read'
import {
  type AdapterContext,
  type BackendManifestEntry,
  isUnanswered,
  type ManifestChoice,
  Sandbox,
} from '@roundhouse/backend-types'
import { about } from './about'
import { findBinary } from './binary'
import { codexCapabilities } from './capabilities'
import { accepted, modes } from './settings'
import { withAppServer } from './short-lived'

export const manifestTimeoutMs = 8_000

const unavailable = (error: unknown, binaryPath?: string): BackendManifestEntry => ({
  kind: about.kind,
  label: about.label,
  installed: false,
  unavailableReason: error instanceof Error ? error.message : String(error),
  ...(isUnanswered(error) ? { unanswered: true } : {}),
  ...(binaryPath === undefined ? {} : { binaryPath }),
  models: [],
  modes,
  sandboxes: Sandbox.options,
  capabilities: codexCapabilities,
  accepted,
})

export async function readManifest(
  context: AdapterContext,
  timeoutMs = manifestTimeoutMs,
): Promise<BackendManifestEntry> {
  let binaryPath: string
  try {
    binaryPath = await findBinary(context)
  } catch (error) {
    return unavailable(error)
  }
  try {
    const answers = await withAppServer(context, binaryPath, timeoutMs, converse)
    return { ...entryOf(answers), binaryPath }
  } catch (error) {
    return unavailable(error, binaryPath)
  }
}

interface Answers {
  initialize: Json
  models: Json
  config: Json
}

/** Pure: the entry from what the program answered. */
export function entryOf({ initialize, models, config }: Answers): BackendManifestEntry {
  const version = /\/(\d[^\s]*)/.exec(asText(initialize.userAgent) ?? '')?.[1]
  const provider = asText(asRecord(config.config).model_provider)
  const configured = asText(asRecord(config.config).model)
  // The catalogue is OpenAI's own. With another provider only the configured model is known to exist.
  const isOwn = provider === undefined || provider === 'openai'
  const listed = isOwn ? asList(models.data).map(asRecord) : []
  const thinkingOptions = effortsOf(listed)
  return {
    kind: about.kind,
    label: about.label,
    installed: true,
    ...(version === undefined ? {} : { version }),
    models: modelsOf(listed, configured),
    modes,
    sandboxes: Sandbox.options,
    ...(thinkingOptions.length ? { thinkingOptions } : {}),
    capabilities: codexCapabilities,
    accepted,
    terminalResume: 'codex resume {id}',
  }
}

function modelsOf(listed: Json[], configured: string | undefined): ManifestChoice[] {
  const choices = listed.map((model): ManifestChoice => {
    const code = asText(model.model) ?? asText(model.id) ?? ''
    const thinking = effortsOf([model]).map((effort) => effort.code)
    const isDefault = configured === undefined ? model.isDefault === true : code === configured
    return compact({
      code,
      label: asText(model.displayName) ?? code,
      description: asText(model.description),
      default: isDefault || undefined,
      thinking: thinking.length > 0 ? thinking : undefined,
    })
  })
  const isMissing = configured !== undefined && !choices.some(({ code }) => code === configured)
  return isMissing ? [{ code: configured, label: configured, default: true }, ...choices] : choices
}

/** Every effort that one of the models takes, in the order in which the models name them. */
function effortsOf(listed: Json[]): ManifestChoice[] {
  const efforts = new Map<string, ManifestChoice>()
  for (const option of listed.flatMap((model) => asList(model.supportedReasoningEfforts)).map(asRecord)) {
    const code = asText(option.reasoningEffort)
    if (code === undefined || efforts.has(code)) continue
    efforts.set(code, compact({ code, label: code, description: asText(option.description) }))
  }
  return [...efforts.values()]
}

async function converse(rpc: Rpc, initialize: Json): Promise<Answers> {
  // Older programs know neither; the entry is still worth having.
  const [models, config] = await Promise.all([
    rpc.request('model/list', {}).catch(() => ({})),
    rpc.request('config/read', {}).catch(() => ({})),
  ])
  return { initialize, models: asRecord(models), config: asRecord(config) }
}
