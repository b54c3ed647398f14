/** `stop --sessions`: ends every host of this machine, with or without a daemon. The reaper ends the rest. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { reaperBy } from '../daemon/hosts/process-ports'
import { PathLooker } from '../daemon/looks/path-looker'
import type { AgentHome } from '../files/agent-home'
import { connectHost } from '../host-contract/client'
import { doorIn, elsewhereOf, type HostDoor } from '../host-contract/host-door'
import { sessionFiles } from '../host-contract/paths'
import { markStopped } from '../host-contract/stopped-mark'
import { readIdentity } from '../identity/identity-file'
import { socketKeyOf } from '../identity/socket-key'
import { markReader } from '../processes/mark-reader'

const LIMIT_MS = 8_000

/** The agent's programs `reaper.js` and `look.js`. */
export interface StopPrograms {
  reaperEntry: string
  lookerEntry: string
}

export interface Stopped {
  ended: number
  /** Processes that could not be ended. */
  left: number
  /** Sessions of the home of which this one is a copy. */
  elsewhere: number
}

export async function stopSessions(home: AgentHome, programs: StopPrograms): Promise<Stopped> {
  const named = recordedIn(home.sessions)
  const recorded = named.filter((sessionId) => !runsElsewhere(path.join(home.sessions, sessionId)))
  const socketKey = keyOf(home)
  const looker = new PathLooker({ entry: programs.lookerEntry })
  const reap = reaperBy(markReader({ entry: programs.reaperEntry }), looker)
  // Sessions that would resume by themselves (RES-3) no longer do, with or without a host.
  for (const sessionId of foldersIn(home.sessions)) {
    const dir = path.join(home.sessions, sessionId)
    if (recorded.includes(sessionId) || existsSync(sessionFiles(dir).resumes)) markStopped(dir)
  }
  // A bridge has no host: its programs are ended, and it tells its client.
  const bridged = recordedIn(home.bridges)
  const ends = await Promise.allSettled([
    ...recorded.map((sessionId) => stopOne(path.join(home.sessions, sessionId), sessionId, socketKey, reap)),
    ...bridged.map(async (sessionId) => (await reap(sessionId, path.join(home.bridges, sessionId))).left),
  ])
  looker.close()
  // A session that could not be checked counts as one that is left.
  const left = ends.map((end) => (end.status === 'fulfilled' ? end.value : 1))
  const sum = left.reduce((total, one) => total + one, 0)
  const ended = ends.length - left.filter((one) => one > 0).length
  return { ended, left: sum, elsewhere: named.length - recorded.length }
}

const foldersIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

const recordedIn = (folder: string): string[] =>
  foldersIn(folder).filter((sessionId) => existsSync(sessionFiles(path.join(folder, sessionId)).host))

/** In one sentence. */
export function saidOfStop({ ended, left, elsewhere }: Stopped): string {
  const rest = left === 0 ? '' : `; ${left} processes could not be ended`
  const others =
    elsewhere === 1
      ? ' 1 session runs in another state folder and was left alone.'
      : ` ${elsewhere} sessions run in another state folder and were left alone.`
  return `${ended}${rest}.${elsewhere === 0 ? '' : others}`
}

function runsElsewhere(sessionDir: string): boolean {
  try {
    return elsewhereOf(sessionDir) !== null
  } catch {
    return false
  }
}

/** Null where the identity is gone or cannot be read: then hosts are not asked, and the reaper decides. */
function keyOf(home: AgentHome): Buffer | null {
  try {
    const identity = readIdentity(home.identityFile)
    return identity && socketKeyOf(identity)
  } catch {
    return null
  }
}

/** How many processes of it are still there. */
async function stopOne(
  sessionDir: string,
  sessionId: string,
  socketKey: Buffer | null,
  reap: ReturnType<typeof reaperBy>,
): Promise<number> {
  const door = socketKey && doorIn(sessionDir, socketKey)
  if (door) await askHost(door)
  return (await reap(sessionId, sessionDir)).left
}

async function askHost(door: HostDoor): Promise<void> {
  try {
    let gone = () => {}
    const closed = new Promise<void>((resolve) => {
      gone = resolve
    })
    const client = await connectHost(door, { closed: () => gone() })
    const left = client.stop('shutdown').then(() => closed)
    await Promise.race([left, delay(LIMIT_MS, undefined, { ref: false })])
    client.close()
  } catch {
    // Nobody answers: the reaper decides.
  }
}
