import type { SessionSettings } from '@roundhouse/backend-types'

/** What a new session takes over from another one. */
export interface LikeSession {
  agentId: string
  settings: SessionSettings
  prompt?: string
}
