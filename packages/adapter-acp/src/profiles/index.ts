import type { ProfileName } from './about'
import { gemini, qwen } from './gemini'
import { generic } from './generic'
import { opencode } from './opencode'
import type { Profile } from './profile'

export const profiles = { opencode, gemini, qwen, generic } satisfies Record<ProfileName, Profile>
export type { ProfileName }
