/**
 * How a host is reached: its socket, and what proves to it that the agent is there. The secret is on no disk. The daemon, a
 * restarted one and `stop` derive it from the agent's own key and the launch id in `launch.json`; the host gets it once, by
 * a descriptor. A host of the previous version has a token of its own in that file (VER-2).
 */
import { createHmac } from 'node:crypto'
import { closeSync, readFileSync } from 'node:fs'
import { readOwnFile } from '@roundhouse/owner'
import { throwPassing } from '../files/read-if-there'
import { HostRecord, LaunchSpec } from './launch-spec'
import { sessionFiles, sessionOf } from './paths'
import { folderNow, type HostElsewhere, hostElsewhere, type IsOwn, ownFolders } from './session-folder'

export type HostDoor = { socketPath: string; sessionId?: string } & ({ secret: string } | { token: string })

/** The descriptor on which a host finds its secret. */
export const SECRET_FD = 3

export function socketSecret(socketKey: Buffer, sessionId: string, launchId: string): string {
  return createHmac('sha256', socketKey).update(`host-socket-v1|${sessionId}|${launchId}`).digest('hex')
}

/** To a host that was launched just now. */
export function doorOf(spec: LaunchSpec, socketKey: Buffer): HostDoor {
  const { socketPath, sessionId, socketToken, launchId } = spec
  if (launchId !== undefined) return { socketPath, sessionId, secret: socketSecret(socketKey, sessionId, launchId) }
  return { socketPath, sessionId, token: socketToken ?? '' }
}

/**
 * By what lies in the session's folder; null where no host was ever launched there, or nothing can be read. The host's own
 * record counts first: a later launch may have ended at once, and left its `launch.json`, and a host may have had to move.
 */
export function doorIn(sessionDir: string, socketKey: Buffer): HostDoor | null {
  const record = recordIn(sessionDir)
  if (isSealed(record) && record.launch) {
    const { sock: socketPath, sessionId, launch } = record
    return { socketPath, sessionId, secret: socketSecret(socketKey, sessionId, launch) }
  }
  const spec = launchIn(sessionDir)
  return spec && isOf(sessionDir, spec.folder, spec) ? doorOf(spec, socketKey) : null
}

/** What the host of this folder left. Throws where the system does not give it back now. */
export function recordIn(sessionDir: string): HostRecord | null {
  const record = anyRecordIn(sessionDir)
  return record && isOf(sessionDir, record.folder, launchIn(sessionDir)) ? record : null
}

/** Also one that came into this folder with a copy. */
export const anyRecordIn = (sessionDir: string): HostRecord | null =>
  ownOf(sessionDir, readAs(HostRecord, sessionFiles(sessionDir).host))

/** The host that lives for the folder of which this one is a copy. Throws as above. */
export function elsewhereOf(sessionDir: string): HostElsewhere | null {
  const found = anyRecordIn(sessionDir)
  return found && recordIn(sessionDir) === null ? hostElsewhere(found) : null
}

/** Where the record cannot be read now, the number of the folder decides alone. */
export function isOwnIn(sessionDir: string): IsOwn {
  try {
    return ownFolders(sessionDir, anyRecordIn(sessionDir), recordIn(sessionDir) !== null)
  } catch {
    return ownFolders(sessionDir, null, true)
  }
}

const launchIn = (sessionDir: string) => ownOf(sessionDir, readAs(LaunchSpec, sessionFiles(sessionDir).launch))

/** A copy of another session's folder holds that one's: neither its host nor its programs are this one's. */
const ownOf = <T extends { sessionId: string }>(sessionDir: string, found: T | null): T | null =>
  found?.sessionId === sessionOf(sessionDir) ? found : null

/** `folder`: as it was written. An earlier release wrote none, and then the path at the launch tells it. */
function isOf(sessionDir: string, folder: string | undefined, launch: Pick<LaunchSpec, 'sessionDir'> | null): boolean {
  const own = folderNow(sessionDir)
  if (folder !== undefined) return folder === own
  const launched = launch && folderNow(launch.sessionDir)
  return launched === null || launched === own
}

/** Null where there is none, or none that makes sense. Throws where the system does not give it back now. */
export function readAs<T>(schema: { parse(json: unknown): T }, file: string): T | null {
  try {
    return schema.parse(JSON.parse(readOwnFile(file)))
  } catch (error) {
    throwPassing(file, error)
    return null
  }
}

/** From version 2 of the contract on. */
const isSealed = (record: HostRecord | null | undefined): record is HostRecord => (record?.proto ?? 0) >= 2

/** In the host, before anything else: read once and closed, so that no program of the session inherits it. */
export function takeSecret(): string {
  try {
    const secret = readFileSync(SECRET_FD, 'utf8')
    if (/^[0-9a-f]{64}$/.test(secret)) return secret
  } finally {
    closeSync(SECRET_FD)
  }
  throw new Error('the session host was started without its secret')
}
