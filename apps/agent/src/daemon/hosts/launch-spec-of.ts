/** Builds the launch file of one session from the settings that all sessions share and the session's own. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { AckedNews, LaunchSpec } from '../../host-contract/launch-spec'
import { socketPathFor, toolSocketPathFor } from '../../host-contract/paths'
import type { SessionRow } from '../logs/index-file'
import type { HostSurroundings } from './host-surroundings'
import type { LaunchMode } from './session/hosted-session-ports'

export function launchSpec(
  { programs, places, rules, idleMs }: Pick<HostSurroundings, 'programs' | 'places' | 'rules' | 'idleMs'>,
  { sessionId, sessionDir }: { sessionId: string; sessionDir: string },
  mode: LaunchMode,
  row: SessionRow | undefined,
  acked: AckedNews | null,
): LaunchSpec & { launchId: string } {
  const folder = places.sockets.current()
  const toolFolder = programs.tools === undefined ? null : places.sockets.outside()
  const others = places.sockets.all.filter((other) => other !== folder)
  return {
    version: 1,
    sessionId,
    sessionDir,
    socketPath: socketPathFor(folder, sessionId),
    spareSockets: others.map((other) => socketPathFor(other, sessionId)),
    launchId: randomBytes(8).toString('hex'),
    limits: rules.limits(),
    ...mode,
    ...(row && row.logId !== '' ? { known: { logId: row.logId, last: row.last } } : {}),
    ...(acked ? { acked } : {}),
    idleMs,
    policy: rules.policy(),
    backends: rules.backends(),
    playerPath: programs.player,
    digestKeyPath: places.digestKey,
    rulesFolder: places.rules,
    modelsFolder: places.models,
    scratchDir: join(places.scratchDir(), sessionId),
    verbsLog: places.verbsLog,
    ...(toolFolder !== null && programs.tools !== undefined
      ? { tools: { socketPath: toolSocketPathFor(toolFolder, sessionId), entry: programs.tools } }
      : {}),
    reaperEntry: programs.reaper,
  }
}
