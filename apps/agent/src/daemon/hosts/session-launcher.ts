/** Launches the hosts of all sessions, a few at once, and finds and ends their processes. */
import { CodedError } from '@roundhouse/backend-types'
import { doorIn, doorOf, type HostDoor } from '../../host-contract/host-door'
import { launchHost } from '../../host-contract/launch'
import { SESSION_MARK } from '../../host-contract/launch-spec'
import type { HostClass } from '../../processes/classify'
import type { SessionIndex } from '../logs/session-index'
import type { SessionLogs } from '../logs/session-logs'
import { HostStarts } from './host-starts'
import type { HostSurroundings } from './host-surroundings'
import { launchSpec } from './launch-spec-of'
import type { HostProcesses, LaunchMode, SessionRecords } from './session/hosted-session-ports'

export class SessionLauncher implements HostProcesses {
  /** Sessions that somebody looks at start first. */
  looked: ReadonlySet<string> = new Set()
  /** The daemon leaves: only hosts that write an end are launched. */
  ending = false
  private readonly starts = new HostStarts((sessionId) => this.looked.has(sessionId))

  constructor(
    private readonly around: HostSurroundings,
    private readonly index: Pick<SessionIndex, 'get'>,
    private readonly logs: Pick<SessionLogs, 'folder' | 'forget'>,
    private readonly records: Pick<SessionRecords, 'acked'>,
  ) {}

  door(sessionId: string): HostDoor | null {
    return doorIn(this.logs.folder(sessionId), this.around.socketKey)
  }

  launch(sessionId: string, mode: LaunchMode): ReturnType<HostProcesses['launch']> {
    if (this.ending && mode.mode === 'run') throw new CodedError('AGENT_OFFLINE', 'The agent is stopping.')
    const { around, logs } = this
    logs.forget(sessionId)
    const place = { sessionId, sessionDir: logs.folder(sessionId) }
    const launch = launchSpec(around, place, mode, this.index.get(sessionId), this.records.acked(sessionId))
    const env = { ...around.rules.env(), [SESSION_MARK]: sessionId }
    const { socketKey } = around
    const host = launchHost({ node: process.execPath, hostEntry: around.programs.host, launch, socketKey, env })
    return { door: doorOf(launch, socketKey), host }
  }

  inStartTurn<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    return this.starts.run(sessionId, work)
  }

  classify(sessionId: string, patienceMs?: number): Promise<HostClass> {
    return this.around.processes.classify(sessionId, this.logs.folder(sessionId), patienceMs)
  }

  reap(sessionId: string): Promise<void> {
    return this.around.processes.reap(sessionId, this.logs.folder(sessionId))
  }

  keepOrphans(): boolean {
    return this.around.rules.keepOrphans()
  }
}
