/** Builds the core from its ports. Nothing here opens a file or a socket. */

import type { SessionEventKind } from '@roundhouse/backend-types'
import { steadyClock } from '@roundhouse/delivery'
import { fingerprintOf, readPrivateKey } from '@roundhouse/keys'
import { AskWatch } from './asks/ask-watch'
import { createAsks } from './asks/asks'
import { createAuditLog } from './audit/audit-log'
import { AuditWatch } from './audit/audit-watch'
import { Arrivals } from './bus/arrivals'
import type { Budget } from './bus/budget'
import { createBus } from './bus/bus'
import { BusClock } from './bus/bus-clock'
import { PeerBook } from './bus/peer-book'
import { busKinds } from './bus/project-session'
import { PublishedFollower } from './bus/published-follower'
import { TaskOwners } from './bus/task-owners'
import { ToldLimit } from './bus/told-limit'
import { createChannels } from './channels/create-channels'
import { CommandPump } from './commands/command-pump'
import { createPermissions } from './commands/permissions'
import type { OwnHub } from './common/hub-identity'
import type { Log } from './common/log'
import { OnceAMinute } from './common/once-a-minute'
import { Rev } from './common/revs'
import { RowLimit } from './common/row-limit'
import type { Core } from './core-services'
import { createDerived, type DerivedTables } from './derived'
import { Changes } from './doorbells/changes'
import { createDoorbells } from './doorbells/doorbells'
import { LogFollower } from './followers/log-follower'
import { createAgentGate } from './link/agent-gate'
import { AuditHeads } from './link/audit-heads'
import { createAgents } from './machines/agents'
import { Challenges } from './machines/challenges'
import { Door } from './machines/door'
import { createHubSettings } from './machines/hub-settings'
import { SessionBudget } from './machines/machine-limits'
import { Presence } from './machines/presence'
import { createLoginAudit } from './people/login-audit'
import { createOwnAccount } from './people/own-account'
import { createPeople } from './people/people'
import { createRights } from './people/rights'
import { createSecondFactors } from './people/second-factors'
import { createSignIn } from './people/sign-in'
import type { Accounts } from './ports/accounts'
import type { AppendStore } from './ports/append-store'
import type { AuditEntry } from './ports/audit-store'
import type { BusStore } from './ports/bus-store'
import type { FactorKeeper } from './ports/factor-keeper'
import type { HubRow } from './ports/hub-store'
import type { ImageStore } from './ports/image-store'
import type { Outgoing } from './ports/outbound/outgoing'
import type { Eraser } from './ports/session-store'
import { type StoragePort, unlessTold } from './ports/storage-port'
import type { Reads, Transactions } from './ports/stores'
import type { StreamWriter } from './ports/stream/stream-writer'
import { RunBells } from './runs/run-bells'
import { endKinds, RunLogs, resultKinds } from './runs/run-logs'
import { RunWatch } from './runs/run-watch'
import { createRuns } from './runs/runs'
import { createArtifacts } from './sessions/artifacts'
import { createBusCommands } from './sessions/bus-commands'
import { Erasing } from './sessions/erasing'
import { createImages } from './sessions/images'
import { createSessionCommands } from './sessions/session-commands'
import { createSessionQueries } from './sessions/session-queries'
import { createSessionQuestions } from './sessions/session-questions'
import { createSessionReads } from './sessions/session-reads'
import { createSessions } from './sessions/sessions'
import { createTells, damagedAt, tellStorage } from './storage-told'
import { Ticker } from './ticker'
import { createBusSpawn } from './trees/bus-spawn'
import { TreeFollower, treeKinds } from './trees/tree-follower'
import { TreeRequests } from './trees/tree-requests'
import { TreeVerbs } from './trees/tree-verbs'
import { TreeWatch } from './trees/tree-watch'
import { createTrees } from './trees/trees'
import { createInbox } from './viewer/inbox'
import { createViewerReads } from './viewer/viewer-service'
import { Attention } from './views/attention'
import { SessionMemory } from './views/session-memory'
import { Views } from './views/views'
import { Dispatcher } from './webhooks/dispatcher'
import { createWebhooks } from './webhooks/webhooks'
import { ANSWERS_KEPT_MS } from './writes/once'
import { createWriteAs, createWriteAsHub } from './writes/write-as'

interface Clocks {
  now?: () => number
  /** Never goes back. */
  elapsed?: () => number
}

/** The operator's. */
interface Operated {
  log?: Log
  /** What all workers of the bus may cost together before it warns. */
  busBudget?: Budget
  /** What its messages may take, in bytes, and for how long they are kept. */
  busKeeps?: { bytes?: number | undefined; days?: number | undefined }
}

export interface CoreDeps extends Clocks, Operated, Outgoing {
  hub: HubRow
  ingest: StreamWriter
  transactions: Transactions
  reads: Reads
  appends: AppendStore
  derived: DerivedTables
  bus: BusStore
  accounts: Accounts
  keeper: FactorKeeper
  eraser: Eraser
  images: ImageStore
  storage: StoragePort
  /** Origins under which agents may know this hub. The first is shown to people. Known only after `listen`. */
  hubUrls: () => readonly string[]
  newHubEpoch: () => string
}

/** A machine that was restored has another log for each session. */
const OTHER_LOG_ROWS = 20

/** Of these, little is kept. */
const OPEN_RUNS = 1_000
/** Of these, everything that they said is kept. */
const READ_RUNS = 16

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} }

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

/** How many such audit rows one machine may add per minute. */
const UNPROVEN_ROWS = 20

/** What several services use. Each takes what it declares. */
function createShared(deps: CoreDeps) {
  const { now = Date.now, elapsed = () => performance.now(), log = silent, reads, transactions, hub } = deps
  const tells = createTells()
  const onError = (error: unknown) => {
    if (tells(error)) log.error({ error: String(error), ...damagedAt(error) }, 'core')
  }
  const inboxRev = new Rev(hub.starts)
  const doorbells = createDoorbells(onError)
  const changes = new Changes(doorbells, inboxRev)
  const presence = new Presence(now())
  const memory = new SessionMemory()
  const views = new Views({ reads, memory, presence, viewRev: new Rev(hub.starts) })
  const attention = new Attention({ presence, prefer: (sessionId) => pump.prefer(sessionId) })
  const { ingest } = deps
  const pump: CommandPump = new CommandPump({
    reads,
    ingest,
    presence,
    attention,
    changes,
    now,
    elapsed,
    onError,
  })
  const ownHub: OwnHub = {
    hubId: hub.hubId,
    hubEpoch: hub.hubEpoch,
    changedEpoch: false,
    changingEpoch: null,
    publicKey: hub.publicKey,
    privateKey: readPrivateKey(hub.privateKey),
    urls: deps.hubUrls,
  }
  const derived = createDerived({ tables: deps.derived, reads, now, log })
  const auditWatch = new AuditWatch(reads.audit, log)
  const steady = steadyClock(now, elapsed)
  const book = new PeerBook(deps.bus, log)
  const told = new ToldLimit(elapsed)
  const arrivals = new Arrivals({ bus: deps.bus, book, changes, doorbells, now, told, log })
  const askWatch = new AskWatch({ arrivals, book, bus: deps.bus, now, onError })
  const taskOwners = new TaskOwners({ book, reads, now })
  const followed = { appends: deps.appends, transactions, elapsed, log }
  const published = new LogFollower(
    new PublishedFollower({
      book,
      told,
      owners: taskOwners,
      bus: deps.bus,
      reads,
      changed: (peers, asks) => arrivals.changed(peers, asks),
    }),
    followed,
  )
  const writeAsHub = createWriteAsHub({ transactions, storage: deps.storage })
  const writeAs = createWriteAs({ transactions, storage: deps.storage, now })
  const treeVerbs = new TreeVerbs({ changes, now, pump, reads, views, writeAs, writeAsHub })
  const treeRequests = new TreeRequests({ now, pump, reads, verbs: treeVerbs, writeAsHub, onError })
  const treeWatch = new TreeWatch({ bus: deps.bus, changes, doorbells, now, elapsed, pump, reads, views, writeAsHub })
  const asked = new LogFollower(new TreeFollower({ reads, changed: () => treeRequests.wake() }), followed)
  const logs = new RunLogs({ reads, kinds: endKinds, most: OPEN_RUNS })
  const runWatch = new RunWatch({ changes, now, elapsed, pump, reads, views, writeAsHub, logs, onError })
  doorbells.on('session', ({ sessionId }) => runWatch.changed(sessionId))
  doorbells.on('events', ({ sessionId, events }) => {
    const has = (kinds: ReadonlySet<SessionEventKind>) => events.some(({ kind }) => kinds.has(kind as SessionEventKind))
    if (has(busKinds)) published.wake()
    if (has(treeKinds)) asked.wake()
    if (has(endKinds)) runWatch.changed(sessionId)
  })
  doorbells.on('session', ({ sessionId }) => askWatch.heard(sessionId))
  return {
    hub: ownHub,
    reads,
    writeAsHub,
    treeWatch,
    watches: {
      'answers to asks': () => askWatch.tick(),
      'trees of sessions': () => {
        treeRequests.wake()
        return treeWatch.tick()
      },
      runs: () => runWatch.tick(),
    },
    accounts: deps.accounts,
    keeper: deps.keeper,
    transactions,
    writeAs,
    treeVerbs,
    treeRequests,
    runWatch,
    runBells: new RunBells(doorbells),
    runResults: new RunLogs({ reads, kinds: resultKinds, most: READ_RUNS }),
    ingest,
    erasing: new Erasing(deps.eraser, (error) =>
      log.error({ error: String(error) }, 'could not erase a transcript yet'),
    ),
    images: deps.images,
    storage: deps.storage,
    memory,
    presence,
    challenges: new Challenges(hub.hubId, elapsed),
    door: new Door(ingest, now),
    strangersTold: new OnceAMinute(now),
    machinesTold: new OnceAMinute(now),
    tellsDamage: createTells(),
    madeSessions: new SessionBudget(),
    otherLogs: new RowLimit(OTHER_LOG_ROWS),
    auditWatch,
    derived,
    followers: [...derived.followers.map((follower) => new LogFollower(follower, followed)), published, asked],
    bus: deps.bus,
    webhooks: deps.webhooks,
    outbound: deps.outbound,
    secretKeeper: deps.secretKeeper,
    book,
    arrivals,
    askWatch,
    told,
    taskOwners,
    busClock: new BusClock({
      arrivals,
      bus: deps.bus,
      book,
      told,
      doorbells,
      now,
      elapsed,
      steady,
      presence,
      budget: deps.busBudget ?? {},
      keptDays: deps.busKeeps?.days,
    }),
    auditHeads: new AuditHeads({ hub: ownHub, auditWatch, transactions, presence, now, elapsed, log }),
    doorbells,
    changes,
    views,
    pump,
    attention,
    inboxRev,
    now,
    elapsed,
    steady,
    newHubEpoch: deps.newHubEpoch,
    unproven: new RowLimit(UNPROVEN_ROWS),
    log,
    audit: (entry: AuditEntry) => transactions.write((tx) => tx.audit.append(entry, now())),
  }
}
