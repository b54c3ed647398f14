/** Builds the core from its ports. Nothing here opens a file or a socket. */
import { fingerprintOf } from '@roundhouse/keys'
import { createAsks } from './asks/asks'
import { createAuditLog } from './audit/audit-log'
import { createBus } from './bus/bus'
import { createChannels } from './channels/create-channels'
import { createPermissions } from './commands/permissions'
import type { CoreDeps } from './core-deps'
import type { Core } from './core-services'
import { createShared } from './create-shared'
import { createAgentGate } from './link/agent-gate'
import { createAgents } from './machines/agents'
import { createHubSettings } from './machines/hub-settings'
import { createLoginAudit } from './people/login-audit'
import { createOwnAccount } from './people/own-account'
import { createPeople } from './people/people'
import { createRights } from './people/rights'
import { createSecondFactors } from './people/second-factors'
import { createSignIn } from './people/sign-in'
import { unlessTold } from './ports/storage-port'
import { createRuns } from './runs/runs'
import { createArtifacts } from './sessions/artifacts'
import { createBusCommands } from './sessions/bus-commands'
import { createImages } from './sessions/images'
import { createSessionCommands } from './sessions/session-commands'
import { createSessionQueries } from './sessions/session-queries'
import { createSessionQuestions } from './sessions/session-questions'
import { createSessionReads } from './sessions/session-reads'
import { createSessions } from './sessions/sessions'
import { tellStorage } from './storage-told'
import { Ticker } from './ticker'
import { createBusSpawn } from './trees/bus-spawn'
import { createTrees } from './trees/trees'
import { createInbox } from './viewer/inbox'
import { createViewerReads } from './viewer/viewer-service'
import { Dispatcher } from './webhooks/dispatcher'
import { createWebhooks } from './webhooks/webhooks'
import { ANSWERS_KEPT_MS } from './writes/once'

export function createCore(deps: CoreDeps): Core {
  const shared = createShared(deps)
  const { hub, transactions, steady } = shared
  const sessionCommands = createSessionCommands(shared)
  const bus = createBus({
    roomBytes: deps.busKeeps?.bytes,
    ...shared,
    commandSession: createBusCommands(sessionCommands, shared.views, createBusSpawn(shared)),
  })
  const dispatcher = new Dispatcher({ ...shared, bus })
  const ticker = new Ticker({ ...shared, watches: { ...shared.watches, webhooks: () => dispatcher.tick() } })
  tellStorage(shared)
  return {
    hub: {
      hubId: hub.hubId,
      hubEpoch: () => hub.hubEpoch,
      publicKey: hub.publicKey,
      keyFingerprint: fingerprintOf(hub.publicKey),
    },
    sessions: {
      ...createSessions(shared),
      ...createSessionReads(shared),
      ...sessionCommands,
      ...createSessionQueries(shared, sessionCommands),
      ...createSessionQuestions(shared),
    },
    trees: createTrees(shared),
    runs: createRuns(shared),
    images: createImages(shared),
    artifacts: createArtifacts(shared),
    permissions: createPermissions(shared),
    inbox: createInbox(shared),
    agents: createAgents(shared),
    settings: createHubSettings(shared),
    people: createPeople(shared),
    account: createOwnAccount(shared),
    factors: createSecondFactors(shared),
    logins: { ...createLoginAudit(shared), ...createSignIn(shared) },
    auditLog: createAuditLog(shared, shared.reads.audit),
    rights: createRights(shared),
    bus,
    asks: createAsks({ ...shared, commands: sessionCommands }),
    webhooks: createWebhooks({ ...shared, bus, changed: (webhookId) => dispatcher.changed(webhookId) }),
    busConnections: shared.busClock,
    ...createChannels({ ...shared, bots: deps.bots }),
    derived: shared.derived.answers,
    audit: shared.audit,
    storage: () => shared.storage.health(),
    agentGate: createAgentGate(shared),
    viewerReads: createViewerReads(shared),
    doorbells: shared.doorbells,
    attention: shared.attention,
    tick: () => ticker.tick(),
    async close() {
      await ticker.idle()
      await dispatcher.stop()
      await shared.auditHeads.idle()
      await shared.erasing.stop()
      for (const follower of shared.followers) await follower.stop()
      await shared.treeRequests.idle()
      await shared.askWatch.idle()
      await shared.runWatch.idle()
      await shared.pump.settled()
      await transactions.write((tx) => tx.answers.forgetBefore(steady.now() - ANSWERS_KEPT_MS)).catch(unlessTold)
    },
  }
}
