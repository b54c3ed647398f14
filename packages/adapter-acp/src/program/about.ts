/** The programs that have a profile of their own. The version is the one that `e2e/real-backends` pins, or that was measured. */
import type { BackendAbout } from '@roundhouse/backend-types'

export const about = {
  opencode: { kind: 'opencode', label: 'OpenCode', testedVersions: ['1.18.33'] },
  gemini: { kind: 'gemini', label: 'Gemini CLI', testedVersions: ['0.61.0'] },
  qwen: { kind: 'qwen', label: 'Qwen Code', testedVersions: ['0.24.4'] },
} satisfies Record<string, BackendAbout>
