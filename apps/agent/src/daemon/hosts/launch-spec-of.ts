/** Builds the launch file of one session from the settings that all sessions share and the session's own. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { SocketFolders } from '../../files/socket-folders'
import type { AckedNews, HostLimits, HostPolicy, LaunchSpec } from '../../host-contract/launch-spec'
import { socketPathFor } from '../../host-contract/paths'
import type { HostClass } from '../../processes/classify'
import type { SessionRow } from '../logs/index-file'
import type { LaunchMode } from './hosted-session-ports'

/** Everything of the launch file that is the same for all sessions at this moment. */
export interface HostSurroundings {
  hostEntry: string
  reaperEntry: string
  playerPath: string
  sockets: SocketFolders
  /** Where the sessions are noted that are being erased. */
  erasingDir: string
  digestKeyPath: string
  verbsLog: string
  idleMs: number
  /** From which the secrets of the host sockets come. */
  socketKey: Buffer
  /** For the temporary files of all sessions. */
  scratchDir(): string
  /** What programs inherit. */
  env(): Record<string, string>
  policy(): HostPolicy
  limits(): HostLimits
  backends(): LaunchSpec['backends']
  keepOrphans(): boolean
  classify(sessionId: string, sessionDir: string, patienceMs?: number): Promise<HostClass>
  reap(sessionId: string, sessionDir: string): Promise<void>
}

export function launchSpec(
  around: HostSurroundings,
  { sessionId, sessionDir }: { sessionId: string; sessionDir: string },
  mode: LaunchMode,
  row: SessionRow | undefined,
  acked: AckedNews | null,
): LaunchSpec & { launchId: string } {
  const folder = around.sockets.current()
  const others = around.sockets.all.filter((other) => other !== folder)
  return {
    version: 1,
    sessionId,
    sessionDir,
    socketPath: socketPathFor(folder, sessionId),
    spareSockets: others.map((other) => socketPathFor(other, sessionId)),
    launchId: randomBytes(8).toString('hex'),
    limits: around.limits(),
    ...mode,
    ...(row && row.logId !== '' ? { known: { logId: row.logId, last: row.last } } : {}),
    ...(acked ? { acked } : {}),
    idleMs: around.idleMs,
    policy: around.policy(),
    backends: around.backends(),
    playerPath: around.playerPath,
    digestKeyPath: around.digestKeyPath,
    scratchDir: join(around.scratchDir(), sessionId),
    verbsLog: around.verbsLog,
    reaperEntry: around.reaperEntry,
  }
}
