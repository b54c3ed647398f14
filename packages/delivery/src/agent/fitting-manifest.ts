/** What a machine says of its backends, within what a hub keeps of it (BAD-4): of a long list its beginning, and how many are left out. */
import { type AgentManifestPayload, type BackendManifestEntry, MANIFEST_BYTES } from '@roundhouse/backend-types'
import { beginningOf, bytesOf, fittingList, isWithin, jsonBytes } from './json-bytes'

const WORD_BYTES = 4_096
/** Of the lists beside the models, each. */
const LIST_BYTES = 16_384

/** The same manifest where it fits. */
export function fittingManifest(manifest: AgentManifestPayload, bytes = MANIFEST_BYTES): AgentManifestPayload {
  if (isWithin(manifest, bytes)) return manifest
  const around = jsonBytes({ ...manifest, backends: [] })
  const share = Math.floor((bytes - around) / manifest.backends.length) - 1
  return { ...manifest, backends: manifest.backends.map((entry) => fittingEntry(entry, share)) }
}

function fittingEntry(entry: BackendManifestEntry, bytes: number): BackendManifestEntry {
  if (isWithin(entry, bytes)) return entry
  const { models, modes, thinkingOptions, testedWith, ...rest } = entry
  const beside = {
    ...shortWords(rest),
    modes: fittingList(modes, LIST_BYTES),
    ...(thinkingOptions ? { thinkingOptions: fittingList(thinkingOptions, LIST_BYTES) } : {}),
    ...(testedWith ? { testedWith: fittingList(testedWith, LIST_BYTES) } : {}),
  }
  // What a new session begins with is in the list, wherever it stands.
  const ordered = [...models.filter((model) => model.default), ...models.filter((model) => !model.default)]
  const kept = new Set(fittingList(ordered, bytes - jsonBytes({ ...beside, models: [], modelsLeftOut: models.length })))
  return { ...beside, models: models.filter((model) => kept.has(model)), modelsLeftOut: models.length - kept.size }
}

function shortWords<T extends object>(entry: T): T {
  const short = ([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' && bytesOf(value) > WORD_BYTES ? beginningOf(value, WORD_BYTES) : value,
  ]
  return Object.fromEntries(Object.entries(entry).map(short)) as T
}
