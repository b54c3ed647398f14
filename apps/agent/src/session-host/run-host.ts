/** The life of a host process, from the lock to the goodbye. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { diskTroubleOf } from '../files/disk-trouble'
import { makeScratch, removeLeftScratch, removeScratch } from '../files/scratch-folder'
import { type LaunchSpec, START_LIMIT_MS } from '../host-contract/launch-spec'
import { type ByeReason, HOST_PROTOCOL } from '../host-contract/messages'
import { sessionFiles } from '../host-contract/paths'
import { HostServer } from '../host-contract/server'
import { clearStopped, stopIn } from '../host-contract/stopped-mark'
import { SessionLog } from '../log/session-log'
import type { LogChange } from '../log/statements'
import { markReader } from '../processes/mark-reader'
import { createRedactor, credentialsOf } from '../redact/redactor'
import { SessionHost } from './host'
import type { HostPorts } from './host-ports'
import { Acks } from './journal/acks'
import { asksLog } from './journal/asks-log'
import { Journal } from './journal/journal'
import { LandmarkFile } from './journal/landmark-file'
import { DamageWatch } from './journal/leave-damaged'
import { Pruner } from './journal/pruner'
import { lossToldKey, UnwrittenMark } from './journal/unwritten-mark'
import { takeLock } from './lock'
import { AdapterLoader } from './program/adapter-loader'
import { Guard } from './program/guard'
import { HostRecordFile } from './program/host-record'
import { Reachable } from './reachable'
import { Elsewhere, elsewhereFromKey } from './recovery/elsewhere'
import { recover } from './recovery/recover'
import { ResumeHint } from './settings/resume-hint'
import { SessionBackup } from './settings/session-backup'
import { readSettings, type StoredSettings } from './settings/settings'
import { WishKeeper } from './settings/wish-keeper'
import { transcriptFinder, transcriptReader, untilAlone } from './transcript/transcript'
import { TranscriptRest } from './transcript/transcript-rest'
import { queueKey } from './turns/turn'

export async function runHost(launch: LaunchSpec, secret: string): Promise<void> {
  const files = sessionFiles(launch.sessionDir)
  const lock = takeLock(files.lock)
  const scratchDir = prepareScratch(launch.scratchDir, files.scratch)
  const env = ownEnvironment()
  const credentials = credentialsOf(env)
  const redact = createRedactor(credentials)
  const damage = new DamageWatch(launch.sessionDir)
  const landmarks = await damage.understood(() => new LandmarkFile(files.landmarks, ackedOf(launch)))
  let host: SessionHost | null = null
  let serving = false
  let awaitedUntil = performance.now() + START_LIMIT_MS
  let refused = false
  let backup: SessionBackup | null = null
  const mark = new UnwrittenMark(files.unwritten)
  const hint = new ResumeHint(files.resumes)
  const log = await damage.understood(() =>
    SessionLog.open(launch.sessionDir, {
      redact,
      now: Date.now,
      known: launch.known,
      setAside: (file, error) => console.error(`the log is damaged; it is in ${file} now`, error),
      damaged: (error) => damage.leave(error),
      appended: (bytes) => host?.appended(bytes),
      committed: (head, events) => {
        // Landmarks come first: they must be stored before anybody hears of the events.
        landmarks.committed(events)
        server.broadcast({ type: 'head', head })
        host?.committed()
      },
      keptMeta: (meta) => {
        backup?.changed(meta)
        hint.kept(meta)
      },
      stalled: (stalled, error) => {
        // Reported once, although the log tries again every second.
        if (stalled !== refused)
          console.error(stalled ? 'the log cannot be written' : 'the log is written again', error ?? '')
        refused = stalled
        // The error is no known problem of a disk, but the write failed.
        const disk = stalled ? (diskTroubleOf(error) ?? 'failing') : null
        // No client knows this host yet, and the next host finds the same work: the daemon tries again.
        if (disk && !serving) process.exit(4)
        mark.held(stalled)
        host?.diskStalled(disk)
      },
      // Another process raised the lease although this one held the lock, so nothing more may be written. The guard
      // ends the backend.
      fenced: () => process.exit(3),
      pressure: (high) => host?.pressure(high),
    }),
  )
  damage.opened(log)
  const server = new HostServer({
    socketPath: launch.socketPath,
    spareSockets: launch.spareSockets,
    secret,
    hello: () => {
      if (!host) throw new Error('not ready')
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
      }
    },
    handle: async (request) => {
      if (!host) throw new Error('not ready')
      return host.handle(request).catch((error: unknown) => {
        throw damage.leaveIfDamaged(error)
      })
    },
  })
  const guard = new Guard(launch.reaperEntry, launch.sessionDir, launch.sessionId)

  let finishing = false
  let reachable: Reachable | null = null
  const finish = (why: ByeReason, message?: string) => {
    if (finishing) return
    finishing = true
    reachable?.stop()
    // No goodbye: the next host has to close what this one could not write.
    if (!closeQuietly(log, damage)) process.exit(4)
    mark.written()
    guard.dismiss()
    void server.close({ why, ...(message === undefined ? {} : { message }) }).finally(() => {
      // Only after a goodbye: a daemon that finds the file at its start knows that this host ended without one.
      rmSync(files.host, { force: true })
      removeScratch(scratchDir)
      lock.release()
      process.exit(0)
    })
  }

  const hide = (more: readonly string[]) => void credentials.push(...more.filter((one) => !credentials.includes(one)))
  const adapterFor = ({ settings }: StoredSettings) => {
    hide(credentialsOf(settings.env ?? {}))
    return new AdapterLoader(launch, { ...env, ...settings.env }, scratchDir, redact).get(settings.backend)
  }
  const readMarks = markReader({ entry: launch.reaperEntry })
  const readTranscript = transcriptReader(adapterFor, () => untilAlone(readMarks, launch.sessionId, launch.sessionDir))
  const kept = new SessionBackup(log, files.backup)
  backup = kept
  const journal = await damage.understood(async () => {
    await kept.restore()
    const read = new Journal(log, Date.now, asksLog(launch, Date.now))
    const left = { unwritten: mark.found || launch.unwritten === true, stopped: stopIn(launch.sessionDir) }
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
    finish('shutdown')
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
      broadcast: (message) => server.broadcast(message),
      ended: finish,
      isAwaited: () => performance.now() < awaitedUntil,
    },
    hide,
    surprised: (error) => damage.leaveIfDamaged(error),
    now: Date.now,
  }
  host = await damage.understood(() => new SessionHost(ports))
  process.on('SIGTERM', () => void host?.shutDown('shutdown'))
  if (launch.mode !== 'run') {
    // The daemon waits only for its exit.
    await host.rest()
    finish('shutdown')
    return
  }
  await server.listen()
  serving = true
  reachable = new Reachable(server, record, files.lock)
  reachable.watch()
  const served = host
  await damage.understood(() => served.start())
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

type RebaseOrder = NonNullable<LaunchSpec['rebase']>

/** False if the log was lost or damaged meanwhile: the daemon must first ask the hub what it holds of the current log. */
function isOrderFor(logId: string, order: LaunchSpec['rebase']): order is RebaseOrder {
  return order !== undefined && (order.logId === '' || order.logId === logId)
}

/**
 * Accepted and unfinished commands cannot be told apart from those that ran in the lost part, so none runs again
 * (REB-1). Nothing may be open behind the gap, because people see nothing open there.
 */
function rebase(journal: Journal, order: RebaseOrder, landmarks: LandmarkFile): void {
  const { log, projection } = journal
  const unfinished = log.rows.unfinishedCommands()
  const closed = { ...projection, turnId: null, openCalls: {}, requests: {}, grants: [] }
  const change = (seq: number): LogChange => ({
    moved: unfinished.map(({ commandId }) => ({ commandId, state: 'outcome_unknown' })),
    grants: log.rows.grants().map(({ grantId }) => ({ grantId, row: null })),
    // The hub may have what the transcript holds until now (RES-9).
    meta: { [queueKey]: null, [elsewhereFromKey]: String(seq), projection: JSON.stringify({ ...closed, seq }) },
  })
  log.rebase(order, order.epoch, change, landmarks)
  journal.reread()
}

/** Applies to the log that the daemon remembers, whatever log is there now. */
function ackedOf({ known, acked }: LaunchSpec): number {
  return known !== undefined && acked?.logId === known.logId ? acked.upTo : 0
}

/** REB-3: prunes to the end, because nobody waits for this host. */
async function pruneAll(log: SessionLog, pruner: Pruner, acks: Acks): Promise<void> {
  while (pruner.step(acks.current.upTo)) await new Promise((resolve) => setImmediate(resolve))
  log.compact()
}

/** The log itself reports a disk that refuses; the host still says goodbye. */
function flushQuietly(log: SessionLog, damage: DamageWatch): void {
  try {
    log.flush()
  } catch (error) {
    damage.leaveIfDamaged(error)
  }
}

/** False if something is not written. */
function closeQuietly(log: SessionLog, damage: DamageWatch): boolean {
  try {
    log.close()
    return true
  } catch (error) {
    damage.leaveIfDamaged(error)
    console.error('could not close the log', error)
    return false
  }
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
