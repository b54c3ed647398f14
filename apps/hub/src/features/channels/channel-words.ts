import type { ChannelState } from '@roundhouse/backend-types'
import type { BadgeTone } from '../../ui/status-badge'

/** `means`: what a person should know or do. */
export const stateWords: Readonly<Record<ChannelState, { tone: BadgeTone; label: string; means?: string }>> = {
  off: { tone: 'quiet', label: 'Off' },
  starting: { tone: 'quiet', label: 'Connecting' },
  connected: { tone: 'done', label: 'Connected' },
  unreachable: {
    tone: 'failed',
    label: 'Not responding',
    means: 'Telegram is not responding. The hub tries again by itself, and nothing is lost.',
  },
  token_refused: {
    tone: 'failed',
    label: 'Token refused',
    means: 'Telegram does not accept the token of the bot any more. Set a new one on the Machines page.',
  },
  taken: {
    tone: 'failed',
    label: 'In use elsewhere',
    means: 'Another program reads the messages of this bot. Stop it, or give this hub a bot of its own.',
  },
}
