/** The services of chat channels: for people, and for the room that speaks with chat services. */
import { type ChannelBotsApi, type ChannelBotsDeps, createChannelBots } from './channel-bots'
import { type ChannelGate, type ChannelGateDeps, createChannelGate } from './channel-gate'
import { type ChannelLinksApi, type ChannelLinksDeps, createChannelLinks } from './channel-links'
import { ChannelStates } from './channel-states'

type ChannelsDeps = Omit<ChannelBotsDeps & ChannelGateDeps & ChannelLinksDeps, 'channelStates'>

export function createChannels(deps: ChannelsDeps): {
  channels: { bots: ChannelBotsApi; links: ChannelLinksApi }
  channelGate: ChannelGate
} {
  const all = { ...deps, channelStates: new ChannelStates(deps.now) }
  return {
    channels: { bots: createChannelBots(all), links: createChannelLinks(all) },
    channelGate: createChannelGate(all),
  }
}
