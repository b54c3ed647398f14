/**
 * The full content of values that were cut (LOG-6): one file each, on the disk before the event that names it is appended.
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeOwnFolder } from '@roundhouse/owner'
import { writeDurably } from '../files/write-durably'
import type { KeepWhole } from './serialize'

const SESSION_LIMIT_BYTES = 1024 * 1024 * 1024

export function keepArtifacts(folder: string): KeepWhole {
  let used: number | null = null
  return (text, _hash, bytes) => {
    const artifactId = randomUUID()
    try {
      makeOwnFolder(folder)
      used ??= sizeOf(folder)
      if (used + bytes > SESSION_LIMIT_BYTES) return null
      writeDurably(join(folder, artifactId), text)
    } catch {
      // A disk that refuses must not stop the event, which then says that only its ends exist.
      return null
    }
    used += bytes
    return artifactId
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}
