/** What the daemon does with processes of sessions: tells what became of them, and ends those that run without a host. */
import { classify } from '../processes/classify'
import { markReader } from '../processes/mark-reader'
import { reapSession } from '../reaper/reap'
import type { PathLooker } from './path-looker'
import type { HostSurroundings } from './supervisor'

type ProcessPorts = Pick<HostSurroundings, 'classify' | 'reap'>

export function processPorts(reaperEntry: string, socketKey: Buffer, looker: PathLooker): ProcessPorts {
  const readMarks = markReader({ entry: reaperEntry })
  const takeLeft = async (mounts: readonly string[]) =>
    void (await looker.see({ look: 'takeLeft', mounts: [...mounts] }))
  return {
    classify: (sessionId, dir, patienceMs) => classify(sessionId, dir, socketKey, readMarks, patienceMs),
    reap: async (sessionId, dir) => void (await reapSession(dir, sessionId, { takeLeft, readMarks })),
  }
}
