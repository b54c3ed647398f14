import type { ProfileName } from './about'
import { gemini, qwen } from './gemini'
import { generic } from './generic'
import { openclaw, openclawGateway } from './openclaw'
import { opencode } from './opencode'
import type { Profile } from './profile'

export const profiles = {
  opencode,
  gemini,
  qwen,
  openclaw,
  'openclaw-gateway': openclawGateway,
  generic,
} satisfies Record<ProfileName, Profile>
export type { ProfileName }
