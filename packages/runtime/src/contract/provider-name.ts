/** The names of providers. They are open: a machine may have a program that nobody lists. */
import { z } from 'zod'

export const ProviderName = z.string()
export type ProviderName = z.infer<typeof ProviderName>

/** The names that the document reserves. `stub` is its name for the scripted backend. */
export const providerNames = {
  claude: 'claude',
  codex: 'codex',
  stub: 'stub',
  springAi: 'spring-ai',
  a2a: 'a2a',
  amp: 'amp',
  gemini: 'gemini',
  ollama: 'ollama',
  openCode: 'opencode',
  jules: 'jules',
} as const satisfies Record<string, ProviderName>

/** `kind`: the `type` of an adapter. */
export const providerNameOf = (kind: string): ProviderName => (kind === 'scripted' ? providerNames.stub : kind)
