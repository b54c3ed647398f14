/** The programs that have a profile of their own. The version is the one that `e2e/real-backends` pins, or that was measured. */
import type { BackendAbout } from '@roundhouse/backend-types'

export const about = {
  opencode: {
    kind: 'opencode',
    label: 'OpenCode',
    testedVersions: ['1.18.33'],
    // Its folders for configuration, logins and conversations.
    environment: ['OPENCODE_*', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'],
  },
  gemini: {
    kind: 'gemini',
    label: 'Gemini CLI',
    testedVersions: ['0.61.0'],
    environment: [
      'GEMINI_*',
      'GOOGLE_API_KEY',
      'GOOGLE_CLOUD_LOCATION',
      'GOOGLE_CLOUD_PROJECT',
      'GOOGLE_GEMINI_BASE_URL',
      'GOOGLE_GENAI_*',
    ],
  },
  qwen: {
    kind: 'qwen',
    label: 'Qwen Code',
    testedVersions: ['0.24.4'],
    environment: ['QWEN_*', 'OPENAI_*', 'DASHSCOPE_API_KEY'],
  },
  openclaw: {
    kind: 'openclaw',
    label: 'OpenClaw',
    testedVersions: ['2026.9.6'],
    environment: ['OPENCLAW_*'],
  },
} as const satisfies Record<string, BackendAbout>

/** What a machine's policy may name as the profile of a program. */
export const profileNames = ['opencode', 'gemini', 'qwen', 'openclaw', 'openclaw-gateway', 'generic'] as const
export type ProfileName = (typeof profileNames)[number]
