import type { ChannelKind } from '@roundhouse/backend-types'

/** Asks a chat service whose token this is. */
export interface BotChecker {
  /** Throws `CHANNEL_TOKEN_WRONG` or `CHANNEL_UNREACHABLE`. */
  check(kind: ChannelKind, token: string): Promise<{ botId: string; name: string }>
}
