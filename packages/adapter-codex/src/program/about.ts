import type { BackendAbout } from '@roundhouse/backend-types'

/** The version is the one that `e2e/real-backends` pins; `docs/backends.md` lists it. */
export const about = {
  kind: 'codex',
  label: 'Codex',
  testedVersions: ['0.169.0'],
  environment: ['OPENAI_*', 'CODEX_*'],
} as const satisfies BackendAbout
