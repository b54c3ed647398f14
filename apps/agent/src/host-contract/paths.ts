/** Where a session's files lie, and the socket of its host. */
import { basename, join } from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import { SOCKET_PATH_LIMIT, socketName, toolSocketName } from '../files/socket-path'

export function sessionFiles(sessionDir: string) {
  return {
    log: join(sessionDir, 'log.db'),
    /** Written by whoever found the log damaged (`damaged-mark.ts`). */
    damaged: join(sessionDir, 'log.damaged'),
    /** Written by the host: what a session must not lose with its log. */
    backup: join(sessionDir, 'session.json'),
    /** Written by the host: which turns ended, and where, for a log that loses its end. */
    landmarks: join(sessionDir, 'landmarks.json'),
    lock: join(sessionDir, 'lock.db'),
    /** Written by the host: who it is, and which processes it started. */
    host: join(sessionDir, 'host.json'),
    /** Written by the daemon: what the host is to do. */
    launch: join(sessionDir, 'launch.json'),
    /** Written by the host: the slash commands that its program offers. */
    commands: join(sessionDir, 'commands.json'),
    spool: join(sessionDir, 'spool'),
    rawRing: join(sessionDir, 'raw.ring'),
    artifacts: join(sessionDir, 'artifacts'),
    /** Of prompts that no program was given yet (`image-files.ts`). */
    images: join(sessionDir, 'images'),
    scratch: join(sessionDir, 'scratch'),
    hostLog: join(sessionDir, 'host.log'),
    /** Written by the daemon: a prompt was accepted, and waits for a place among the running programs. */
    waits: join(sessionDir, 'waits.json'),
    /** Written by the host: it holds what no disk has taken. */
    unwritten: join(sessionDir, 'unwritten'),
    /** Written by the host: the log may say that it goes on by itself (RES-3). */
    resumes: join(sessionDir, 'resumes'),
    /** Written by whoever ended it without its host: a person stopped it. */
    stopped: join(sessionDir, 'stopped'),
    guardNote: join(sessionDir, 'guard.note'),
  } as const
}
export type SessionFiles = ReturnType<typeof sessionFiles>

/** The folder bears its session's id. */
export const sessionOf = (sessionDir: string): string => basename(sessionDir)

export function socketPathFor(runtimeDir: string, sessionId: string): string {
  return requireSocketPath(join(runtimeDir, socketName(sessionId)))
}

export function toolSocketPathFor(runtimeDir: string, sessionId: string): string {
  return requireSocketPath(join(runtimeDir, toolSocketName(sessionId)))
}

export function requireSocketPath(path: string): string {
  const bytes = Buffer.byteLength(path)
  if (bytes <= SOCKET_PATH_LIMIT) return path
  throw new CodedError(
    'INVALID_ARGUMENT',
    `The runtime folder's path is too long for a socket (${bytes} of ${SOCKET_PATH_LIMIT} bytes). Set a shorter one.`,
    { bytes, limit: SOCKET_PATH_LIMIT },
  )
}
