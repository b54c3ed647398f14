/** The highest resident memory of each sort of process, looked at twice a second. Linux only; elsewhere it stays empty. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { World } from './world'

export type Peaks = Record<'hub' | 'daemon' | 'host', number>

export function watchMemory(world: World): { peaks: Peaks; stop(): void } {
  const peaks: Peaks = { hub: 0, daemon: 0, host: 0 }
  const see = (sort: keyof Peaks, pid: number | undefined) => {
    if (pid !== undefined) peaks[sort] = Math.max(peaks[sort], residentMb(pid))
  }
  const timer = setInterval(() => {
    see('hub', world.hub.pid)
    for (const { process } of world.machines) {
      see('daemon', process.pid)
      for (const sessionId of process.sessionIds()) {
        if (existsSync(path.join(process.sessionFolder(sessionId), 'host.json')))
          see('host', process.hostPid(sessionId))
      }
    }
  }, 500)
  return { peaks, stop: () => clearInterval(timer) }
}

function residentMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(status.match(/VmRSS:\s+(\d+) kB/)?.[1] ?? 0) / 1_024)
  } catch {
    return 0 // it has ended
  }
}
