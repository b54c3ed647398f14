import type { BackendAbout } from '@roundhouse/backend-types'

/** The version is the one that `e2e/real-backends` pins; `docs/backends.md` lists it. */
export const about = {
  kind: 'claude',
  label: 'Claude Code',
  testedVersions: ['2.1.330'],
  environment: ['ANTHROPIC_*', 'CLAUDE_*'],
} as const satisfies BackendAbout
