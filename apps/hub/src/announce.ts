/**
 * What the hub tells the machine it runs on: `hub.json` when it is ready, and one-time enrollment for the agent beside
 * it. Both are readable by the owner of the data folder alone, and written whole or not at all.
 */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { readOwnFile, replaceOwnFile } from '@roundhouse/owner'

export interface HubFile {
  pid: number
  port: number
  url: string
  hubKeyFingerprint: string
  /** With the one-time code in the fragment, which no server ever sees; `null` once there is an owner. */
  setupUrl: string | null
  startedAt: number
  /** It holds the lock of its folder (STORE-5). Absent: of an earlier release. */
  locked?: true
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

/** Where the hub of that process answers; undefined as long as it starts. */
export function announcedUrl(dataDir: string, pid: number): string | undefined {
  const file = readHubFile(dataDir)
  return file?.pid === pid ? file.url : undefined
}

/** A file that a power cut tore says nothing. */
export function readHubFile(dataDir: string): HubFile | null {
  try {
    return JSON.parse(readOwnFile(path.join(dataDir, 'hub.json'))) as HubFile
  } catch {
    return null
  }
}

function writeWhole(file: string, content: object): void {
  replaceOwnFile(file, `${JSON.stringify(content)}\n`)
}
