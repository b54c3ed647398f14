import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ARTIFACT_CHUNK_BYTES } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/index'
import { readArtifact } from './read-artifact'

describe('what was cut', () => {
  let dir: TempDir
  beforeEach(() => {
    dir = tempDir('artifacts')
    mkdirSync(join(dir.path, 'artifacts'))
  })
  afterEach(() => dir.remove())
  const read = (artifactId: string, from = 0) => readArtifact(join(dir.path, 'artifacts'), artifactId, from)
  const write = (name: string, text: string) => writeFileSync(join(dir.path, 'artifacts', name), text)

  it('[LOG-6.9] is read in chunks, each with the size of the whole', () => {
    const whole = 'ä'.repeat(ARTIFACT_CHUNK_BYTES)
    write('a1', whole)
    const parts: Buffer[] = []
    for (let from = 0; from < 2 * ARTIFACT_CHUNK_BYTES; from += parts.at(-1)?.length ?? 0) {
      const { data, bytes } = read('a1', from)
      expect(bytes).toBe(2 * ARTIFACT_CHUNK_BYTES)
      parts.push(Buffer.from(data, 'base64'))
    }
    expect(parts).toHaveLength(2)
    expect(Buffer.concat(parts).toString()).toBe(whole)
  })

  it('[LOG-6] behind its end there is nothing, and past it no place', () => {
    write('a1', 'twelve bytes')
    expect(read('a1', 12)).toEqual({ data: '', bytes: 12 })
    expect(() => read('a1', 13)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })

  it('[LOG-6.14] is gone where there is none, and a path, a link or a folder in its place is none', () => {
    writeFileSync(join(dir.path, 'secret'), 'hunter2')
    symlinkSync(join(dir.path, 'secret'), join(dir.path, 'artifacts', 'link'))
    mkdirSync(join(dir.path, 'artifacts', 'folder'))
    for (const artifactId of ['unknown', '../secret', '..', '', 'link', 'folder', `${dir.path}/secret`, 'a\0b'])
      expect(() => read(artifactId), artifactId).toThrow(expect.objectContaining({ code: 'ARTIFACT_GONE' }))
  })
})
