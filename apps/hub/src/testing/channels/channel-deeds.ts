/** The routes of chat channels, as the owner of a hub calls them. */
import type { Deed, World } from '../route-deeds'

const password = 'correct horse battery'

/** A chat of whoever asks next. */
async function linkChat(world: World): Promise<void> {
  const token = world.newName()
  await world.send('POST', '/channels/telegram/bot', { token })
  const { code } = await world.send('POST', '/me/channels/telegram/code', { password })
  const chat = { chatId: token, chatName: '@ana', lastMessage: '1', code: String(code) }
  const handled = { kind: 'telegram', botId: token, next: 1 } as const
  await world.hub.core.channelGate.claim({ ...chat, welcome: (name) => ({ text: name }) }, handled)
}

export const channelDeeds: Record<string, Deed> = {
  'post /channels/{channel}/bot': {
    leaves: 'channel.set',
    call: (world) => world.send('POST', '/channels/telegram/bot', { token: world.newName() }),
  },
  'delete /channels/{channel}/bot': {
    leaves: 'channel.remove',
    call: async (world) => {
      await world.send('POST', '/channels/telegram/bot', { token: world.newName() })
      return world.send('DELETE', '/channels/telegram/bot')
    },
  },
  'post /me/channels/{channel}/code': {
    leaves: 'channel.code',
    call: async (world) => {
      await world.send('POST', '/channels/telegram/bot', { token: world.newName() })
      return world.send('POST', '/me/channels/telegram/code', { password })
    },
  },
  'delete /me/channels/{channel}': {
    leaves: 'channel.unlink',
    call: async (world) => {
      await linkChat(world)
      return world.send('DELETE', '/me/channels/telegram')
    },
  },
  'post /me/channels/{channel}/approvals': {
    leaves: 'channel.approvals',
    call: async (world) => {
      await linkChat(world)
      return world.send('POST', '/me/channels/telegram/approvals', { password })
    },
  },
  'delete /me/channels/{channel}/approvals': {
    leaves: 'channel.approvals',
    call: async (world) => {
      await linkChat(world)
      return world.send('DELETE', '/me/channels/telegram/approvals')
    },
  },
}
