/**
 * The agent's own places (POL-4): programs may not name them, and no session may use them. They are its home, the folders of
 * its sockets, the folder of its programs, the data of a hub beside it, and the targets of links inside the home.
 */
import path from 'node:path'
import type { AgentHome } from './agent-home'
import { isInside } from './is-inside'
import { realPlace } from './real-place'

/** What a hub keeps in its data folder. */
const HUB_FILES = [
  ...['hub.db', 'hub.db-wal', 'hub.db-shm', 'hub.lock', 'hub.lock.json'],
  ...['secret', 'hub.json', 'hub.log', 'local-enrollment.json'],
]

export interface Surroundings {
  socketFolders: readonly string[]
  /** Where `main.js` and `host.js` lie. */
  programDir: string
  /** The data folder of a hub on this machine, where one is known, by its real path: its disk is not the agent's. */
  hubDataDir?: string | undefined
  /** Where one lies in the hub's data folder, only the files of the hub itself are protected there. */
  roots: readonly string[]
}

/** Real paths, none inside another. */
export function agentPlaces(home: AgentHome, around: Surroundings): string[] {
  const own = [...Object.values(home), ...around.socketFolders, around.programDir].map(realPlace)
  const real = [...new Set([...own, ...hubPlaces(around)])]
  return real.filter((place) => !real.some((other) => other !== place && isInside(place, other)))
}

function hubPlaces({ hubDataDir: folder, roots }: Surroundings): string[] {
  if (!folder) return []
  if (!roots.some((root) => root !== folder && isInside(root, folder))) return [folder]
  return HUB_FILES.map((file) => path.join(folder, file))
}
