/** The options of a daemon. */
import type { AgentHome } from '../files/agent-home'
import type { LogLine } from '../files/log-line'
import type { LookEntries } from './looks/look-now'
import type { ManifestSources } from './looks/manifest-sources'

export interface DaemonOptions extends LookEntries {
  home: AgentHome
  env: Record<string, string | undefined>
  software: string
  hostEntry: string
  reaperEntry: string
  playerPath: string
  /** The file of the MCP server of the programs' tools. Absent: programs have none. */
  toolsEntry?: string
  manifestSources: ManifestSources
  idleMs: number
  log: LogLine
  /** The hub revoked this agent; its sessions have ended. */
  onRevoked(reason: string): void
  random?: () => number
  now?: () => number
}
