/** What the rooms of channels use of the core. */
import type { AgentsApi, ChannelServices, SessionServices, SocketServices } from '../../core'

export interface ChatServices
  extends ChannelServices,
    Pick<SessionServices, 'permissions' | 'sessions'>,
    Pick<SocketServices, 'doorbells' | 'viewerReads'> {
  agents: Pick<AgentsApi, 'list'>
}
