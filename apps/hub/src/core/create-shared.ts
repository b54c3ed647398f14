/** Creates what several services of the core use, and rings from one to the other. */
import type { SessionEventKind } from '@roundhouse/backend-types'
import { steadyClock } from '@roundhouse/delivery'
import { readPrivateKey } from '@roundhouse/keys'
import { AskWatch } from './asks/ask-watch'
import { AuditWatch } from './audit/audit-watch'
import { Arrivals } from './bus/peers/arrivals'
import { BusClock } from './bus/peers/bus-clock'
import { PeerBook } from './bus/peers/peer-book'
import { TaskOwners } from './bus/peers/task-owners'
import { ToldLimit } from './bus/peers/told-limit'
import { BUS_BYTES, roomOf } from './bus/publishing/bus-room'
import { busKinds } from './bus/sessions/project-session'
import { PublishedFollower } from './bus/sessions/published-follower'
import { CommandPump } from './commands/command-pump'
import type { OwnHub } from './common/hub-identity'
import type { Log } from './common/log'
import { OnceAMinute } from './common/once-a-minute'
import { Rev } from './common/revs'
import { RowLimit } from './common/row-limit'
import type { CoreDeps } from './core-deps'
import { createDerived } from './derived'
import { Changes } from './doorbells/changes'
import { createDoorbells } from './doorbells/doorbells'
import { RefusedWatch } from './ends/refused-watch'
import { tellRevokedEnds } from './ends/revoked-ends'
import { LogFollower } from './followers/log-follower'
import { AuditHeads } from './link/audit-heads'
import { Challenges } from './machines/challenges'
import { Door } from './machines/door'
import { SessionBudget } from './machines/machine-limits'
import { Presence } from './machines/presence'
import type { AuditEntry } from './ports/audit-store'
import { RunBells } from './runs/run-bells'
import { endKinds, RunLogs, resultKinds } from './runs/run-logs'
import { outcomeOf } from './runs/run-view'
import { RunWatch } from './runs/run-watch'
import { Erasing } from './sessions/erasing'
import { createTells, damagedAt } from './storage-told'
import { TreeFollower, treeKinds } from './trees/tree-follower'
import { TreeRequests } from './trees/tree-requests'
import { TreeVerbs } from './trees/tree-verbs'
import { TreeWatch } from './trees/tree-watch'
import { Attention } from './views/attention'
import { SessionMemory } from './views/session-memory'
import { Views } from './views/views'
import { createWriteAs, createWriteAsHub, type PersonTx } from './writes/write-as'

/** A machine that was restored has another log for each session. */
const OTHER_LOG_ROWS = 20

/** Of these, little is kept. */
const OPEN_RUNS = 1_000
/** Of these, everything that they said is kept. */
const READ_RUNS = 16

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** How many such audit rows one machine may add per minute. */
const UNPROVEN_ROWS = 20

/** Each service takes what it declares. */
export function createShared(deps: CoreDeps) {
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
  const runResults = new RunLogs({ reads, kinds: resultKinds, most: READ_RUNS })
  const followed = { appends: deps.appends, transactions, elapsed, log }
  const published = new LogFollower(
    new PublishedFollower({
      book,
      told,
      owners: taskOwners,
      bus: deps.bus,
      reads,
      outcomeOf: async (runId) => outcomeOf(await runResults.read(runId)),
      inTurn: (work) => arrivals.ofSessions(work),
      changed: (peers, asks) => arrivals.changed(peers, asks),
    }),
    followed,
  )
  const writeAsHub = createWriteAsHub({ transactions, storage: deps.storage })
  const writeAs = createWriteAs({ transactions, storage: deps.storage, now })
  const treeVerbs = new TreeVerbs({ changes, now, pump, reads, views, writeAs, writeAsHub })
  const treeRequests = new TreeRequests({ now, pump, reads, verbs: treeVerbs, writeAsHub, onError })
  const treeWatch = new TreeWatch({ bus: deps.bus, changes, doorbells, now, elapsed, pump, reads, views, writeAsHub })
  const spent = (rootId: string) => changes.session(rootId, 'later')
  const asked = new LogFollower(new TreeFollower({ reads, changed: () => treeRequests.wake(), spent }), followed)
  const logs = new RunLogs({ reads, kinds: endKinds, most: OPEN_RUNS })
  const runWatch = new RunWatch({ changes, now, elapsed, pump, reads, views, writeAsHub, logs, onError })
  const refusedWatch = new RefusedWatch({
    ...{ bus: deps.bus, doorbells, now, reads, writeAsHub },
    keptDays: deps.busKeeps?.days,
  })
  doorbells.on('session', ({ sessionId }) => {
    runWatch.changed(sessionId)
    refusedWatch.changed(sessionId)
  })
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
      'sessions that no machine took': () => refusedWatch.tick(),
    },
    accounts: deps.accounts,
    keeper: deps.keeper,
    transactions,
    writeAs,
    treeVerbs,
    treeRequests,
    runWatch,
    runBells: new RunBells(doorbells),
    runResults,
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
    tellRevokedEnds: (tx: PersonTx, agentId: string) => tellRevokedEnds({ bus: deps.bus, now, reads }, tx, agentId),
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
      sessionBytes: roomOf(deps.busKeeps?.bytes ?? BUS_BYTES).sessions,
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
