/** `stop --sessions`: ends every host of this machine, with or without a daemon; what does not end is reaped. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readLaunch } from '../daemon/supervisor'
import type { AgentHome } from '../files/agent-home'
import { connectHost } from '../host-contract/client'
import { sessionFiles } from '../host-contract/paths'
import { reapSession } from '../reaper/reap'

const LIMIT_MS = 8_000

export async function stopSessions(home: AgentHome): Promise<{ ended: number; left: number }> {
  if (!existsSync(home.sessions)) return { ended: 0, left: 0 }
  const recorded = readdirSync(home.sessions).filter((sessionId) =>
    existsSync(sessionFiles(path.join(home.sessions, sessionId)).host),
  )
  const left = await Promise.all(recorded.map((sessionId) => stopOne(path.join(home.sessions, sessionId), sessionId)))
  const sum = left.reduce((total, one) => total + one, 0)
  return { ended: recorded.length - left.filter((one) => one > 0).length, left: sum }
}

/** How many processes of it are still there. */
async function stopOne(sessionDir: string, sessionId: string): Promise<number> {
  const launch = readLaunch(sessionDir)
  if (launch) await askHost(launch.socketPath, launch.socketToken, sessionId)
  return (await reapSession(sessionDir, sessionId)).left
}

async function askHost(socketPath: string, token: string, sessionId: string): Promise<void> {
  try {
    let gone = () => {}
    const closed = new Promise<void>((resolve) => {
      gone = resolve
    })
    const client = await connectHost({ socketPath, token, sessionId }, { closed: () => gone() })
    await client.stop('shutdown')
    await Promise.race([closed, delay(LIMIT_MS, undefined, { ref: false })])
    client.close()
  } catch {
    // Nobody answers: the reaper decides.
  }
}
