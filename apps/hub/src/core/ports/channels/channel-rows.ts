/** What is stored of chat channels. Times are milliseconds. */
import type { ChannelKind } from '@roundhouse/backend-types'

export interface ChannelBotRow {
  kind: ChannelKind
  /** Sealed. */
  token: string
  botId: string
  name: string
  setAt: number
  /** The first update that was not handled yet. */
  nextUpdate: number
}

/** The code that links a chat. A person has at most one for each channel. */
export interface ChannelCodeRow {
  kind: ChannelKind
  userId: string
  codeHash: string
  expiresAt: number
}

/** The session that the chat follows, and the last event of it that the chat has. */
export interface PlaceInLog {
  sessionId: string | null
  seq: number
}

/** What was being sent: an answer by its number, a card by its reference, or a part of what the session says next. */
export type Sending = { mark: string } & (
  | { what: 'reply'; n: number }
  | { what: 'card'; ref: string }
  | ({ what: 'part'; part: number; blockId: string | null } & PlaceInLog)
)

/** How far a chat was told what its session says. */
export interface ChatPlace {
  /** Everything up to here was delivered. */
  seq: number
  /** Parts of what comes next that are complete. */
  part: number
  /** The block of which parts were shown before it was finished. */
  blockId: string | null
  /** The message that still grows. */
  openMessage: string | null
}

export interface ChannelLinkRow extends ChatPlace {
  linkId: string
  kind: ChannelKind
  chatId: string
  /** The name of the account at the chat service. */
  chatName: string
  userId: string
  /** The API token whose rights the chat has. */
  tokenId: string
  linkedAt: number
  /** The session whose transcript the chat gets. */
  sessionId: string | null
  /** The next text starts a session with the machine, program and folder of this one. */
  startLike: string | null
  sending: Sending | null
  /** The newest message of the chat that is known. */
  lastMessage: string | null
}

export type LinkChange = Partial<
  Pick<
    ChannelLinkRow,
    'sessionId' | 'startLike' | 'seq' | 'part' | 'blockId' | 'openMessage' | 'sending' | 'lastMessage'
  >
>

/** A message of the hub: plain text, and rows of buttons. */
export interface ChatMessage {
  text: string
  buttons?: ReadonlyArray<ReadonlyArray<{ label: string; data: string }>>
}

export interface ChannelReplyRow {
  n: number
  body: ChatMessage
}

/** A permission request as a chat shows it. */
export interface ChannelCardRow {
  ref: string
  linkId: string
  sessionId: string
  requestId: string
  /** Of the action that was shown. */
  digest: string
  createdAt: number
  /** Null: it is not in the chat yet. */
  messageId: string | null
  /** When the chat was told what came of it. */
  closedAt: number | null
}

/** A session, as far as another one can be started like it. */
export interface StartedSession {
  sessionId: string
  agentId: string
  backend: string
  workDir: string
}
