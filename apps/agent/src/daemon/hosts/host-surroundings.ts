/** What the hosts of all sessions share at this moment. */
import type { SocketFolders } from '../../files/socket-folders'
import type { HostLimits, HostPolicy, LaunchSpec } from '../../host-contract/launch-spec'
import type { HostClass } from '../../processes/classify'

/** The files of the programs that a host is, or starts. */
export interface HostPrograms {
  host: string
  reaper: string
  player: string
  /** The MCP server of the programs' tools. */
  tools: string | undefined
}

/** Folders and files of this machine that belong to no single session. */
export interface HostPlaces {
  sockets: SocketFolders
  /** Where the sessions are noted that are being erased. */
  erasing: string
  digestKey: string
  /** The folder of the rules of folders. */
  rules: string
  verbsLog: string
  /** What programs named as their models. */
  models: string
  /** For the temporary files of all sessions. */
  scratchDir(): string
}

/** What the owner and the policy of this machine say now. */
export interface HostRules {
  /** What programs inherit. */
  env(): Record<string, string>
  policy(): HostPolicy
  limits(): HostLimits
  backends(): LaunchSpec['backends']
  keepOrphans(): boolean
}

/** Finds the processes of a session, and ends them. */
export interface ProcessPorts {
  classify(sessionId: string, sessionDir: string, patienceMs?: number): Promise<HostClass>
  reap(sessionId: string, sessionDir: string): Promise<void>
}

export interface HostSurroundings {
  programs: HostPrograms
  places: HostPlaces
  rules: HostRules
  processes: ProcessPorts
  /** From which the secrets of the host sockets come. */
  socketKey: Buffer
  idleMs: number
}
