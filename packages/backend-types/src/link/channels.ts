/** Chat channels: the bot of the hub, and the chats in which people use it. */
import { z } from 'zod'
import { Millis } from '../common/ids'

export const ChannelKind = z.enum(['telegram'])
export type ChannelKind = z.infer<typeof ChannelKind>

/** What people call it. */
export const channelNames: Readonly<Record<ChannelKind, string>> = { telegram: 'Telegram' }

/**
 * `off`: there is no bot. `token_refused`: the service does not accept its token any more. `taken`: another program, or another
 * hub, reads the messages of this bot.
 */
export const ChannelState = z.enum(['off', 'starting', 'connected', 'unreachable', 'token_refused', 'taken'])
export type ChannelState = z.infer<typeof ChannelState>

const status = {
  state: ChannelState,
  /** Since when; null where it is off. */
  since: Millis.nullable(),
}

/** The bot's token is never shown. */
const Bot = z.object({
  /** Its user name, without `@`. */
  name: z.string(),
  /** Opens a chat with it. */
  address: z.string(),
})

export const ChannelView = z.object({
  ...status,
  bot: Bot.extend({ setAt: Millis }).nullable(),
  /** How many chats are linked. */
  links: z.number().int().min(0),
})
export type ChannelView = z.infer<typeof ChannelView>

export const ChannelToken = z.object({ token: z.string().trim().min(1).max(200) })
export type ChannelToken = z.infer<typeof ChannelToken>

/** A person's own link to a channel. */
export const OwnChannel = z.object({
  ...status,
  bot: Bot.nullable(),
  link: z
    .object({
      /** As the service calls the account. */
      name: z.string(),
      linkedAt: Millis,
      expiresAt: Millis,
      /** Permission requests can be decided in the chat. */
      approvals: z.boolean(),
    })
    .nullable(),
})
export type OwnChannel = z.infer<typeof OwnChannel>

/** `code` is shown this once. `address` opens a chat with the bot and sends it. */
export const ChannelCode = z.object({ code: z.string(), address: z.string(), expiresAt: Millis })
export type ChannelCode = z.infer<typeof ChannelCode>
