/** The settings with which hosts start, from the machine's owner and its policy. */
import { scratchFolder } from '../files/scratch-folder'
import type { SocketFolders } from '../files/socket-folders'
import { programEnvironment } from '../policy/environment'
import type { Policy } from '../policy/policy'
import type { DaemonOptions } from './daemon-options'
import type { HostSurroundings } from './hosts/host-surroundings'
import { processPorts } from './hosts/process-ports'
import type { ManifestService } from './looks/manifest-service'
import type { PathLooker } from './looks/path-looker'
import { backendPaths, hostLimits, hostPolicy } from './policy/host-policy'

interface SurroundingsParts {
  options: DaemonOptions
  sockets: SocketFolders
  socketKey: Buffer
  looker: PathLooker
  manifest: ManifestService
  limits(): Policy['limits']
  policy(): Policy
  ownPlaces(): string[]
  paused(): boolean
}

export function hostSurroundings(parts: SurroundingsParts): HostSurroundings {
  const { options, policy, socketKey } = parts
  const { home, env } = options
  const { kinds } = options.manifestSources
  return {
    programs: {
      host: options.hostEntry,
      reaper: options.reaperEntry,
      player: options.playerPath,
      tools: options.toolsEntry,
    },
    places: {
      sockets: parts.sockets,
      erasing: home.erasing,
      digestKey: home.digestKeyFile,
      rules: home.rulesFolder,
      verbsLog: home.verbsLog,
      models: home.modelsFolder,
      scratchDir: () => scratchFolder(home),
    },
    rules: {
      env: () => programEnvironment(env, policy().envAllow),
      policy: () =>
        hostPolicy(policy(), {
          paused: parts.paused(),
          agentPlaces: parts.ownPlaces(),
          wrongVersions: parts.manifest.wrongVersions(),
          kinds,
        }),
      limits: () => hostLimits(parts.limits()),
      backends: () => backendPaths(policy(), kinds),
      keepOrphans: () => policy().orphans === 'keep',
    },
    processes: processPorts(options.reaperEntry, socketKey, parts.looker),
    socketKey,
    idleMs: options.idleMs,
  }
}
