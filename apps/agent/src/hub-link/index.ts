export type { AskChallenge } from './agent-socket'
export { HubLink } from './hub-link'
export type { CommandNewsItem, EventsToSend, LinkIdentity, LinkPorts, ReadLimits } from './ports'
