/**
 * Reads a chunk of an artifact (LOG-6). The id consists only of letters and digits. A link, or anything else that is not a
 * file of ours, is not opened.
 */
import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { ARTIFACT_CHUNK_BYTES, CodedError, Id } from '@roundhouse/backend-types'
import { openOwnFile } from '@roundhouse/owner'
import { passesByItself, unreadable } from '../../files/read-if-there'

export function readArtifact(folder: string, artifactId: string, from: number): { data: string; bytes: number } {
  if (!Id.safeParse(artifactId).success) throw new CodedError('ARTIFACT_GONE')
  const file = join(folder, artifactId)
  const handle = open(file)
  try {
    const { size } = fstatSync(handle)
    if (from > size) throw new CodedError('INVALID_ARGUMENT', `It has ${size} bytes.`, { bytes: size })
    const chunk = Buffer.alloc(Math.min(ARTIFACT_CHUNK_BYTES, size - from))
    const read = readSync(handle, chunk, 0, chunk.length, from)
    return { data: chunk.subarray(0, read).toString('base64'), bytes: size }
  } finally {
    closeSync(handle)
  }
}

function open(file: string): number {
  try {
    return openOwnFile(file, constants.O_RDONLY)
  } catch (error) {
    if (passesByItself(error)) throw unreadable(file, error)
    throw new CodedError('ARTIFACT_GONE', undefined, undefined, error)
  }
}
