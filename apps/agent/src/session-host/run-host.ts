/** The life of a host process, from the lock to the goodbye. */
import { mkdirSync, rmSync } from 'node:fs'
import { makeScratch, removeScratch } from '../files/scratch-folder'
import type { LaunchSpec } from '../host-contract/launch-spec'
import { type ByeReason, HOST_PROTOCOL } from '../host-contract/messages'
import { sessionFiles } from '../host-contract/paths'
import { HostServer } from '../host-contract/server'
import { SessionLog } from '../log/session-log'
import { createRedactor, credentialsOf } from '../redact/redactor'
import { Acks } from './acks'
import { AdapterShelf } from './adapters'
import { asksLog } from './asks-log'
import { Guard } from './guard'
import { SessionHost } from './host'
import { HostRecordFile } from './host-record'
import { Journal } from './journal'
import { Keepsake } from './keepsake'
import { takeLock } from './lock'
import { Pruner } from './pruner'
import { recover } from './recover'
import { transcriptReader, untilAlone } from './transcript'
import { TranscriptRest } from './transcript-rest'
import { queueKey } from './turn-runner'

export async function runHost(launch: LaunchSpec, secret: string): Promise<void> {
  const files = sessionFiles(launch.sessionDir)
  const lock = takeLock(files.lock)
  const scratchDir = prepareScratch(launch.scratchDir, files.scratch)
  const env = ownEnvironment()
  const credentials = credentialsOf(env)
  const redact = createRedactor(credentials)
  let host: SessionHost | null = null
  let keepsake: Keepsake | null = null
  const log = SessionLog.open(launch.sessionDir, {
    redact,
    now: Date.now,
    known: launch.known,
    setAside: (file, error) => console.error(`the log could not be read and lies in ${file} now`, error),
    appended: (bytes) => host?.appended(bytes),
    committed: (head) => {
      server.broadcast({ type: 'head', head })
      host?.committed()
    },
    keptMeta: (meta) => keepsake?.changed(meta),
    stalled: (stalled, error) => {
      if (stalled) console.error('the log cannot be written', error)
      host?.diskStalled(stalled)
    },
    // Somebody raised the lease although the lock was ours: nothing more may be written. The guard ends the backend.
    fenced: () => process.exit(3),
    pressure: (high) => host?.pressure(high),
  })
  const server = new HostServer({
    socketPath: launch.socketPath,
    secret,
    hello: () => {
      if (!host) throw new Error('not ready')
      flushQuietly(log)
      return {
        proto: HOST_PROTOCOL,
        pid: process.pid,
        start: record.start,
        sessionId: launch.sessionId,
        logId: log.logId,
        head: log.head,
        state: host.account(),
      }
    },
    handle: (request) => (host ? host.handle(request) : Promise.reject(new Error('not ready'))),
  })
  const guard = new Guard(launch.reaperEntry, launch.sessionDir, launch.sessionId)

  let finishing = false
  const finish = (why: ByeReason, message?: string) => {
    if (finishing) return
    finishing = true
    closeQuietly(log)
    guard.dismiss()
    void server.close({ why, ...(message === undefined ? {} : { message }) }).finally(() => {
      // Only after a goodbye: a daemon that finds the file at its start knows that this host did not say one.
      rmSync(files.host, { force: true })
      removeScratch(scratchDir)
      lock.release()
      process.exit(0)
    })
  }

  const hide = (more: readonly string[]) => void credentials.push(...more.filter((one) => !credentials.includes(one)))
  const readTranscript = transcriptReader(
    ({ settings }) => {
      hide(credentialsOf(settings.env ?? {}))
      return new AdapterShelf(launch, { ...env, ...settings.env }, scratchDir).get(settings.backend)
    },
    () => untilAlone(launch.sessionId),
  )
  keepsake = new Keepsake(log, files.keepsake)
  await keepsake.restore()
  const journal = new Journal(log, Date.now, asksLog(launch, Date.now))
  await recover(journal, files.spool, new TranscriptRest(readTranscript, redact))
  const pruner = new Pruner(journal, launch.limits, Date.now)
  const acks = new Acks(journal, pruner)
  if (launch.acked) await acks.told(launch.acked)
  if (launch.mode === 'prune') {
    if (launch.acked?.present) await pruneAll(log, pruner, acks)
    finish('shutdown')
    return
  }
  if (launch.mode === 'rebase' && launch.rebase) rebase(journal, launch.rebase)
  const record = new HostRecordFile(files.host, launch.sessionId, launch.socketPath)
  host = new SessionHost({
    launch,
    files,
    log,
    redact,
    record,
    guard,
    env,
    scratchDir,
    now: Date.now,
    hide,
    broadcast: (message) => server.broadcast(message),
    ended: finish,
  })
  process.on('SIGTERM', () => void host?.shutDown('shutdown'))
  if (launch.mode !== 'run') {
    // Its exit is all that the daemon waits for.
    await host.rest()
    finish('shutdown')
    return
  }
  await server.listen()
  host.start()
}

/** Beside the agent's home where the daemon names a folder; then what a host of an earlier version used goes. */
function prepareScratch(named: string | undefined, inHome: string): string {
  if (named === undefined) {
    mkdirSync(inHome, { recursive: true, mode: 0o700 })
    return inHome
  }
  rmSync(inHome, { recursive: true, force: true })
  return makeScratch(named)
}

/**
 * What was accepted and not finished cannot be told from what ran in the lost part: nothing of it runs again (REB-1).
 * People see nothing open behind the gap, so nothing may be.
 */
function rebase(journal: Journal, order: NonNullable<LaunchSpec['rebase']>): void {
  const { log, projection } = journal
  const unfinished = log.rows.unfinishedCommands()
  const closed = { ...projection, turnId: null, openCalls: {}, requests: {}, grants: [] }
  log.rebase(order, order.epoch, (seq) => ({
    moved: unfinished.map(({ commandId }) => ({ commandId, state: 'outcome_unknown' })),
    grants: log.rows.grants().map(({ grantId }) => ({ grantId, row: null })),
    meta: { [queueKey]: null, projection: JSON.stringify({ ...closed, seq }) },
  }))
}

/** REB-3, to its end: nobody waits for this host. */
async function pruneAll(log: SessionLog, pruner: Pruner, acks: Acks): Promise<void> {
  while (pruner.step(acks.current.upTo)) await new Promise((resolve) => setImmediate(resolve))
  log.compact()
}

/** A refusing disk is told of by the log itself, and is no reason not to greet anybody. */
function flushQuietly(log: SessionLog): void {
  try {
    log.flush()
  } catch {}
}

function closeQuietly(log: SessionLog): void {
  try {
    log.close()
  } catch (error) {
    console.error('the log could not be closed', error)
  }
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
