/** The life of a host process, from the lock to the goodbye. */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { makeScratch, removeLeftScratch } from '../files/scratch-folder'
import { HostConnections } from '../host-contract/connections'
import { type LaunchSpec, START_LIMIT_MS } from '../host-contract/launch-spec'
import { HOST_PROTOCOL } from '../host-contract/messages'
import { sessionFiles } from '../host-contract/paths'
import { HostServer } from '../host-contract/server'
import { clearStopped, stopIn } from '../host-contract/stopped-mark'
import { SessionLog } from '../log/session-log'
import { Guard } from '../processes/guard'
import { HostRecordFile } from '../processes/host-record'
import { markReader } from '../processes/mark-reader'
import { createRedactor, credentialsOf } from '../redact/redactor'
import { SessionHost } from './host'
import { HostExit } from './host-exit'
import type { HostPorts } from './host-ports'
import { Acks } from './journal/acks'
import { asksLog } from './journal/asks-log'
import { Journal } from './journal/journal'
import { LandmarkFile } from './journal/landmark-file'
import { DamageWatch } from './journal/leave-damaged'
import { Pruner } from './journal/pruner'
import { lossToldKey, UnwrittenMark } from './journal/unwritten-mark'
import { takeLock } from './lock'
import { LogNews } from './log-news'
import { ackedOf, isOrderFor, pruneAll, rebase } from './log-orders'
import { AdapterLoader } from './program/adapter-loader'
import { Reachable } from './reachable'
import { Elsewhere } from './recovery/elsewhere'
import { recover } from './recovery/recover'
import { ResumeHint } from './settings/resume-hint'
import { SessionBackup } from './settings/session-backup'
import { readSettings, type StoredSettings } from './settings/settings'
import { WishKeeper } from './settings/wish-keeper'
import { transcriptFinder, transcriptReader, untilAlone } from './transcript/transcript'
import { TranscriptRest } from './transcript/transcript-rest'

export async function runHost(launch: LaunchSpec, secret: string): Promise<void> {
  const files = sessionFiles(launch.sessionDir)
  const lock = takeLock(files.lock)
  const scratchDir = prepareScratch(launch.scratchDir, files.scratch)
  const env = ownEnvironment()
  const credentials = credentialsOf(env)
  const redact = createRedactor(credentials)
  const damage = new DamageWatch(launch.sessionDir)
  const landmarks = await damage.understood(() => new LandmarkFile(files.landmarks, ackedOf(launch)))
  let serving = false
  let awaitedUntil = performance.now() + START_LIMIT_MS
  const mark = new UnwrittenMark(files.unwritten)
  const hint = new ResumeHint(files.resumes)
  const connections = new HostConnections()
  const news = new LogNews()
  news.listen({
    committed: (head, events) => {
      // Landmarks come first: they must be stored before anybody hears of the events.
      landmarks.committed(events)
      connections.broadcast({ type: 'head', head })
    },
    diskStalled: (disk) => {
      // No client knows this host yet, and the next host finds the same work: the daemon tries again.
      if (disk && !serving) process.exit(4)
      mark.held(disk !== null)
    },
  })
  const log = await damage.understood(() =>
    SessionLog.open(launch.sessionDir, {
      redact,
      now: Date.now,
      known: launch.known,
      setAside: (file, error) => console.error(`the log is damaged; it is in ${file} now`, error),
      damaged: (error) => damage.leave(error),
      appended: news.appended,
      committed: news.committed,
      keptMeta: news.keptMeta,
      stalled: news.stalled,
      pressure: news.pressure,
      // Another process raised the lease although this one held the lock, so nothing more may be written. The guard
      // ends the backend.
      fenced: () => process.exit(3),
    }),
  )
  damage.opened(log)
  const guard = new Guard(launch.reaperEntry, launch.sessionDir, launch.sessionId)
  const exit = new HostExit({ log, damage, mark, guard, files, scratchDir, lock })
  const hide = (more: readonly string[]) => void credentials.push(...more.filter((one) => !credentials.includes(one)))
  const adapterFor = ({ settings }: StoredSettings) => {
    hide(credentialsOf(settings.env ?? {}))
    return new AdapterLoader(launch, { ...env, ...settings.env }, scratchDir, redact).get(settings.backend)
  }
  const readMarks = markReader({ entry: launch.reaperEntry })
  const readTranscript = transcriptReader(adapterFor, () => untilAlone(readMarks, launch.sessionId, launch.sessionDir))
  const kept = new SessionBackup(log, files.backup)
  news.listen({
    keptMeta: (meta) => {
      kept.changed(meta)
      hint.kept(meta)
    },
  })
  const journal = await damage.understood(async () => {
    await kept.restore()
    const read = new Journal(log, Date.now, asksLog(launch, Date.now))
    const left = {
      unwritten: mark.found || launch.unwritten === true,
      stopped: stopIn(launch.sessionDir),
      endAsked: launch.endAsked === true,
    }
    const autoResume = () => readSettings(log.rows)?.settings.autoResume === true
    const wish = new WishKeeper({ journal: read, hint, autoResume, now: Date.now })
    const find = transcriptFinder(adapterFor)
    const readsOn = launch.mode === 'run' || launch.mode === 'close'
    const elsewhere = readsOn
      ? new Elsewhere({ journal: read, redact, read: readTranscript, find, newId: randomUUID, isOurs: () => false })
      : null
    await recover(read, files.spool, new TranscriptRest(readTranscript, redact), landmarks, wish, left, elsewhere)
    mark.written()
    if (left.stopped) clearStopped(launch.sessionDir)
    if (log.rows.meta(lossToldKey) !== null) await read.write({ meta: { [lossToldKey]: null } })
    return read
  })
  const pruner = new Pruner(journal, launch.limits, Date.now)
  const acks = new Acks(journal, pruner)
  if (launch.acked) await acks.told(launch.acked)
  if (launch.mode === 'prune') {
    if (launch.acked?.present) await pruneAll(log, pruner, acks)
    exit.finish('shutdown')
    return
  }
  if (launch.mode === 'rebase' && isOrderFor(log.logId, launch.rebase)) rebase(journal, launch.rebase, landmarks)
  const record = new HostRecordFile(files.host, launch.sessionId, launch.sessionDir, launch.socketPath)
  const ports: HostPorts = {
    launch,
    files,
    journal,
    redact,
    hint,
    programs: { record, guard, env, scratchDir, readMarks },
    daemon: {
      broadcast: (message) => connections.broadcast(message),
      ended: exit.finish,
      isAwaited: () => performance.now() < awaitedUntil,
    },
    hide,
    surprised: (error) => damage.leaveIfDamaged(error),
    now: Date.now,
  }
  const host = await damage.understood(() => new SessionHost(ports))
  news.listen(host)
  process.on('SIGTERM', () => void host.shutDown('shutdown'))
  if (launch.mode !== 'run') {
    // The daemon waits only for its exit.
    await host.rest()
    exit.finish('shutdown')
    return
  }
  const server = new HostServer(
    {
      socketPath: launch.socketPath,
      spareSockets: launch.spareSockets,
      secret,
      hello: () => {
        awaitedUntil = 0
        flushQuietly(log, damage)
        return {
          proto: HOST_PROTOCOL,
          pid: process.pid,
          start: record.start,
          sessionId: launch.sessionId,
          logId: log.logId,
          head: log.head,
          state: host.account(),
          place: host.hasPlace,
          queries: true,
        }
      },
      handle: (request) =>
        host.handle(request).catch((error: unknown) => {
          throw damage.leaveIfDamaged(error)
        }),
    },
    connections,
  )
  const reachable = new Reachable(server, record, files.lock, () => host.keepTools())
  exit.ends(
    () => reachable.stop(),
    (bye) => server.close(bye),
  )
  await server.listen()
  serving = true
  reachable.watch()
  await host.openTools()
  await damage.understood(() => host.start())
}

/** Uses the folder that the daemon names, beside the agent's home, and removes the folder of an earlier version. */
function prepareScratch(named: string | undefined, inHome: string): string {
  if (named === undefined) {
    mkdirSync(inHome, { recursive: true, mode: 0o700 })
    return inHome
  }
  removeLeftScratch(inHome)
  return makeScratch(named)
}

/** The log itself reports a disk that refuses; the host still says goodbye. */
function flushQuietly(log: SessionLog, damage: DamageWatch): void {
  try {
    log.flush()
  } catch (error) {
    damage.leaveIfDamaged(error)
  }
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
