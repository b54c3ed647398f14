import type { ChannelKind } from '@roundhouse/backend-types'

/** Opens a chat with the bot, and sends the code if there is one. */
export function botAddress(kind: ChannelKind, name: string, code?: string): string {
  const of: Readonly<Record<ChannelKind, string>> = { telegram: `https://t.me/${encodeURIComponent(name)}` }
  return code === undefined ? of[kind] : `${of[kind]}?start=${encodeURIComponent(code)}`
}
