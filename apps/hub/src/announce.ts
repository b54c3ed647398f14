/**
 * What the hub tells the machine it runs on: `hub.json` when it is ready, and one-time enrollment for the agent beside
 * it. Both are readable by the owner of the data folder alone, and written whole or not at all.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export interface HubFile {
  pid: number
  port: number
  url: string
  hubKeyFingerprint: string
  /** With the one-time code in the fragment, which no server ever sees; `null` once there is an owner. */
  setupUrl: string | null
  startedAt: number
}

export interface LocalEnrollment {
  token: string
  fingerprint: string
  url: string
}

export function announceHub(dataDir: string, file: HubFile): void {
  writeWhole(path.join(dataDir, 'hub.json'), file)
}

export function announceEnrollment(dataDir: string, enrollment: LocalEnrollment): void {
  writeWhole(path.join(dataDir, 'local-enrollment.json'), enrollment)
}

export function withdraw(dataDir: string): void {
  for (const name of ['hub.json', 'local-enrollment.json']) rmSync(path.join(dataDir, name), { force: true })
}

/** The process of the hub that runs on this data, also where it is another user's; null where none does. */
export function runningHub(dataDir: string, ask: (pid: number) => void = (pid) => process.kill(pid, 0)): number | null {
  const file = path.join(dataDir, 'hub.json')
  if (!existsSync(file)) return null
  const { pid } = JSON.parse(readFileSync(file, 'utf8')) as HubFile
  try {
    ask(pid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return null
  }
  return pid
}

function writeWhole(file: string, content: object): void {
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  renameSync(temporary, file)
}
