/**
 * The backends of this release, in the order in which a machine lists them: what each adapter says of itself without being
 * loaded. The daemon knows no more of them.
 */
import { about as acp } from '@roundhouse/adapter-acp/about'
import { about as claude } from '@roundhouse/adapter-claude/about'
import { about as codex } from '@roundhouse/adapter-codex/about'
import { about as scripted } from '@roundhouse/adapter-scripted/about'
import type { BackendAbout } from '@roundhouse/backend-types'

export { type ProfileName, profileNames } from '@roundhouse/adapter-acp/about'

export const builtIn = [
  claude,
  codex,
  acp.opencode,
  acp.gemini,
  acp.qwen,
  acp.openclaw,
  scripted,
] as const satisfies readonly BackendAbout[]

export type BuiltInKind = (typeof builtIn)[number]['kind']

export const isBuiltIn = (kind: string): boolean => builtIn.some((about) => about.kind === kind)

/** Variables of the owner's environment that programs get: the credentials and settings of all backends. */
export const backendVariables: readonly string[] = [
  ...new Set(builtIn.flatMap(({ environment = [] }: BackendAbout) => environment)),
]
