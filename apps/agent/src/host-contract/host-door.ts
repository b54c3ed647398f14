/**
 * How a host is reached: its socket, and what proves to it that the agent is there. The secret is on no disk. The daemon, a
 * restarted one and `stop` derive it from the agent's own key and the launch id in `launch.json`; the host gets it once, by
 * a descriptor. A host of the previous version has a token of its own in that file (VER-2).
 */
import { createHmac } from 'node:crypto'
import { closeSync, readFileSync } from 'node:fs'
import { HostRecord, LaunchSpec } from './launch-spec'
import { sessionFiles } from './paths'

export type HostDoor = { socketPath: string; sessionId?: string } & ({ secret: string } | { token: string })

/** The descriptor on which a host finds its secret. */
export const SECRET_FD = 3

export function socketSecret(socketKey: Buffer, sessionId: string, launchId: string): string {
  return createHmac('sha256', socketKey).update(`host-socket-v1|${sessionId}|${launchId}`).digest('hex')
}

/** `record` says which launch holds the session now; a later one may have ended at once, and left its `launch.json`. */
export function doorOf(spec: LaunchSpec, socketKey: Buffer, record?: HostRecord | null): HostDoor {
  const { socketPath, sessionId, socketToken } = spec
  const launchId = (isSealed(record) && record.launch) || spec.launchId
  if (launchId !== undefined) return { socketPath, sessionId, secret: socketSecret(socketKey, sessionId, launchId) }
  return { socketPath, sessionId, token: socketToken ?? '' }
}

/** By what lies in the session's folder; null where no host was ever launched. */
export function doorIn(sessionDir: string, socketKey: Buffer): HostDoor | null {
  const { launch, host } = sessionFiles(sessionDir)
  const spec = readAs(LaunchSpec, launch)
  return spec && doorOf(spec, socketKey, readAs(HostRecord, host))
}

export function readAs<T>(schema: { parse(json: unknown): T }, file: string): T | null {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
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
