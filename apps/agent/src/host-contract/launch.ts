/**
 * Starts a session host that outlives its starter: own session, output to `host.log`, and of descriptors only the one on
 * which it finds the secret of its socket.
 */
import { spawn } from 'node:child_process'
import { closeSync, constants, mkdirSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { CodedError, isLack, outOfResources } from '@roundhouse/backend-types'
import { folderId, lookAt, openOwnFile, requireLock, requireOwnFile } from '@roundhouse/owner'
import { diskError } from '../files/disk-trouble'
import { codedIfInTheWay } from '../files/read-if-there'
import { requireProgram } from '../files/require-program'
import { writeDurably } from '../files/write-durably'
import { SECRET_FD, socketSecret } from './host-door'
import { FOLDER_MARK, HOST_MARK, LaunchSpec, SESSION_MARK } from './launch-spec'
import { requireSocketPath, sessionFiles } from './paths'

/**
 * Keeps a host from growing over days; measured to cost nothing. The heap must still take the longest line that an adapter
 * reads (64 MiB, twice that in memory where one letter is not Latin): the line, what is read from it, and what is made of
 * that where a secret is taken out.
 */
const MEMORY_FLAGS = ['--max-old-space-size=768', '--max-semi-space-size=1']

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT

export interface LaunchOptions {
  node: string
  hostEntry: string
  launch: LaunchSpec & { launchId: string }
  /** The agent's key, from which the secret of each socket is derived. */
  socketKey: Buffer
  /** What the backend's programs may inherit. The session's mark is added. */
  env: Record<string, string>
}

export interface LaunchedHost {
  pid: number
  /** Resolves when the process ends, for as long as this process lives. Rejects with a code where it never began. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** Throws a code where the machine has no room for it, or something is in the way; the disk's own errors as they are. */
export function launchHost(options: LaunchOptions): LaunchedHost {
  requireProgram(options.hostEntry)
  try {
    return launch(options)
  } catch (error) {
    throw isLack(error)
      ? outOfResources(error)
      : isForbidden(error)
        ? diskError('failing', error)
        : codedIfInTheWay(error)
  }
}

function launch({ node, hostEntry, launch: asked, socketKey, env }: LaunchOptions): LaunchedHost {
  requireSocketPath(asked.socketPath)
  const files = sessionFiles(asked.sessionDir)
  mkdirSync(asked.sessionDir, { recursive: true, mode: 0o700 })
  const folder = folderId(asked.sessionDir)
  const spec = LaunchSpec.parse({ ...asked, folder })
  // Without these it could not start, and only its own log would say why.
  requireLock(files.lock)
  requireOwnFile(spec.digestKeyPath)
  if (lookAt(files.launch)?.isDirectory()) requireOwnFile(files.launch)
  writeDurably(files.launch, JSON.stringify(spec))
  const output = openOwnFile(files.hostLog, APPEND)
  try {
    const child = spawn(node, [...MEMORY_FLAGS, hostEntry, spec.sessionDir], {
      detached: true,
      cwd: spec.sessionDir,
      stdio: ['ignore', output, output, 'pipe'],
      env: { ...env, [SESSION_MARK]: spec.sessionId, [HOST_MARK]: asked.launchId, [FOLDER_MARK]: folder },
    })
    // First: a spawn that failed tells it by an event, and has no pipes where descriptors were missing.
    const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
      child.on('error', (cause) => reject(notStarted(cause)))
    })
    exited.catch(() => {})
    const given = child.stdio?.[SECRET_FD] as Writable | undefined
    given?.on('error', () => {}) // it ended before it read: its exit says so
    given?.end(socketSecret(socketKey, spec.sessionId, asked.launchId))
    child.unref()
    return { pid: child.pid ?? 0, exited }
  } finally {
    closeSync(output)
  }
}

/** Concerns this session's folder alone. The daemon notices by itself when the whole disk refuses. */
const isForbidden = (error: unknown): boolean =>
  ['EPERM', 'EACCES'].includes(String((error as { code?: unknown }).code))

const notStarted = (cause: Error): CodedError =>
  isLack(cause)
    ? outOfResources(cause)
    : new CodedError('INTERNAL', `A session host could not be started (${cause.message}).`, undefined, cause)
