/**
 * The backends that there is an adapter for, and what people call each where its manifest is not at hand. In the order in
 * which a machine lists them.
 */
export const backendNames = { claude: 'Claude Code', codex: 'Codex', scripted: 'Demo (scripted)' } as const

export type BackendKind = keyof typeof backendNames
export const backendKinds = Object.keys(backendNames) as BackendKind[]

export const isBackendKind = (kind: string): kind is BackendKind => Object.hasOwn(backendNames, kind)

/** A kind that is not known here has no other name. Empty: of a session whose beginning is lost. */
export const backendName = (kind: string): string =>
  isBackendKind(kind) ? backendNames[kind] : kind || 'Unknown program'
