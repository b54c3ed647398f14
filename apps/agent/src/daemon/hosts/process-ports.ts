/** The daemon's operations on session processes: classifies them, and ends those that run without a host. */
import { classify } from '../../processes/classify'
import { markReader, type ReadMarks } from '../../processes/mark-reader'
import { type GuardNote, reapSession } from '../../reaper/reap'
import type { PathLooker } from '../looks/path-looker'
import type { ProcessPorts } from './host-surroundings'

export function processPorts(reaperEntry: string, socketKey: Buffer, looker: PathLooker): ProcessPorts {
  const readMarks = markReader({ entry: reaperEntry })
  const reap = reaperBy(readMarks, looker)
  return {
    classify: (sessionId, dir, patienceMs) => classify(sessionId, dir, socketKey, readMarks, patienceMs),
    reap: async (sessionId, dir) => void (await reap(sessionId, dir)),
  }
}

type Reap = (sessionId: string, sessionDir: string) => Promise<GuardNote>

/** Also for `stop`. Neither a process nor a folder of a person is waited for. */
export function reaperBy(readMarks: ReadMarks, looker: PathLooker): Reap {
  const takeLeft = async (mounts: readonly string[]) =>
    void (await looker.see({ look: 'takeLeft', mounts: [...mounts] }))
  return (sessionId, dir) => reapSession(dir, sessionId, { takeLeft, readMarks })
}
