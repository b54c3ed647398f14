export type { AskChallenge } from './agent-socket'
export { HubLink, type HubLinkOptions } from './hub-link'
export type { CommandNewsItem, EventsToSend, LinkIdentity, LinkPorts, ReadLimits } from './ports'
