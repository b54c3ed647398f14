import type { agentRoutes } from '@roundhouse/backend-types'
import type { HubServices } from '../../core'
import type { Handlers } from './handlers'

export function agentHandlers({ agents }: HubServices): Handlers<keyof typeof agentRoutes> {
  return {
    listAgents: ({ actor }) => agents.list(actor),
    getAgent: ({ actor, id }) => agents.get(actor, id.agentId),
    renameAgent: ({ actor, id, body }) => agents.rename(actor, id.agentId, body.name),
    listFolders: ({ actor, id, query }) => agents.folders(actor, id.agentId, query.path),
    listFolderRules: ({ actor, id }) => agents.folderRules(actor, id.agentId),
    refreshAgent: ({ actor, id }) => agents.refresh(actor, id.agentId),
    approveAgent: ({ actor, id, key }) => agents.approve(actor, id.agentId, key),
    refuseAgent: ({ actor, id, key }) => agents.refuse(actor, id.agentId, key),
    disableAgent: ({ actor, id, key }) => agents.disable(actor, id.agentId, key),
    enableAgent: ({ actor, id, key }) => agents.enable(actor, id.agentId, key),
    revokeAgent: ({ actor, id, key }) => agents.revoke(actor, id.agentId, key),
    acceptRestoredAgent: ({ actor, id, key }) => agents.acceptRestored(actor, id.agentId, key),
    createEnrollmentToken: ({ actor, body, key }) => agents.makeToken(actor, body, key),
    listEnrollmentTokens: ({ actor }) => agents.listTokens(actor),
    getEnrollmentToken: ({ actor, id }) => agents.getToken(actor, id.tokenId),
    revokeEnrollmentToken: ({ actor, id, key }) => agents.revokeToken(actor, id.tokenId, key),
    requestChallenge: ({ address, body }) => agents.challenge({ address }, body),
    enrollAgent: ({ address, body }) => agents.enroll({ address }, body),
    rotateAgentKey: ({ address, body }) => agents.rotateKey({ address }, body),
  }
}
