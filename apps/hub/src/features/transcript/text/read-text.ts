/**
 * Reads the full text of an artifact from its machine. Throws the machine's error, or `ARTIFACT_GONE` if there is no
 * artifact.
 */
import { CodedError, type CutValue } from '@roundhouse/backend-types'
import type { HubRest } from '@roundhouse/hub-client'
import { readWhole } from './read-whole'

const BUSY_MS = 1_000

export interface Reading {
  stop?: AbortSignal
  progress?: (bytes: number) => void
}

export function readBytes(
  rest: HubRest,
  sessionId: string,
  value: CutValue,
  { stop, progress = () => {} }: Reading = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { artifactId } = value
  if (artifactId === undefined) return Promise.reject(new CodedError('ARTIFACT_GONE'))
  return readWhole(value, {
    chunk: (from) => rest.artifact(sessionId, artifactId, from, stop),
    pause: () => new Promise((resolve) => setTimeout(resolve, BUSY_MS)),
    progress,
    sha256: hashOf,
  })
}

export const readText = async (rest: HubRest, sessionId: string, value: CutValue): Promise<string> =>
  new TextDecoder().decode(await readBytes(rest, sessionId, value))

async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
