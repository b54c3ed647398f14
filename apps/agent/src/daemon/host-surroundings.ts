/** The settings with which hosts start, from the machine's owner and its policy. */
import { scratchFolder } from '../files/scratch-folder'
import type { SocketFolders } from '../files/socket-folders'
import { ownerEnvironment } from '../policy/environment'
import type { Policy } from '../policy/policy'
import type { DaemonOptions } from './daemon-options'
import { processPorts } from './hosts/process-ports'
import type { Supervisor } from './hosts/supervisor'
import type { ManifestService } from './looks/manifest-service'
import type { PathLooker } from './looks/path-looker'
import { backendPaths, hostLimits, hostPolicy } from './policy/host-policy'

type Surroundings = ConstructorParameters<typeof Supervisor>[0]

interface SurroundingsParts {
  options: DaemonOptions
  sockets: SocketFolders
  socketKey: Surroundings['socketKey']
  looker: PathLooker
  manifest: ManifestService
  limits(): Policy['limits']
  policy(): Policy
  ownPlaces(): string[]
  paused(): boolean
}

export function hostSurroundings(parts: SurroundingsParts): Surroundings {
  const { options, policy, socketKey } = parts
  const { home, env } = options
  const kinds = options.manifestSources.map(({ kind }) => kind)
  return {
    hostEntry: options.hostEntry,
    reaperEntry: options.reaperEntry,
    playerPath: options.playerPath,
    sockets: parts.sockets,
    erasingDir: home.erasing,
    digestKeyPath: home.digestKeyFile,
    verbsLog: home.verbsLog,
    idleMs: options.idleMs,
    socketKey,
    env: () => ownerEnvironment(env, policy().envAllow),
    scratchDir: () => scratchFolder(home),
    policy: () =>
      hostPolicy(policy(), {
        paused: parts.paused(),
        agentPlaces: parts.ownPlaces(),
        wrongVersions: parts.manifest.wrongVersions(),
      }),
    limits: () => hostLimits(parts.limits()),
    backends: () => backendPaths(policy(), kinds),
    keepOrphans: () => policy().orphans === 'keep',
    ...processPorts(options.reaperEntry, socketKey, parts.looker),
  }
}
