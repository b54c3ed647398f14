import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionFiles } from '../../host-contract/paths'
import { bundle } from '../../testing/bundle'
import { WorkFiles } from './work-files'

let root: string
let work: string
let files: WorkFiles | undefined
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'roundhouse-work-files-')))
  work = path.join(root, 'work')
  mkdirSync(work)
  mkdirSync(path.join(root, 's1'))
  const settings = JSON.stringify({ settings: { backend: 'scripted', workDir: work }, realWorkDir: work })
  writeFileSync(sessionFiles(path.join(root, 's1')).backup, JSON.stringify({ settings }))
})
afterEach(() => {
  files?.close()
  rmSync(root, { recursive: true })
})

const open = (entry: string, denyPaths: string[] = [], limitMs?: number) => {
  const rules = { roots: [root], denyPaths, agentPlaces: [path.join(work, 'agent')] }
  files = new WorkFiles(
    entry,
    () => rules,
    (sessionId) => sessionFiles(path.join(root, sessionId)),
    limitMs,
  )
  return files
}
/** Reads what it is asked, and never answers. */
function hung(): string {
  const file = path.join(root, 'hung.mjs')
  writeFileSync(file, `process.stdin.resume()\nprocess.stdout.write('{"ready":true}\\n')`)
  return file
}

describe('[CMD-10] the daemon, asked for files of a session', () => {
  it('[CMD-10.10] looks in its work folder, without what the policy denies and what is the agent’s own', async () => {
    for (const name of ['a.ts', 'denied.ts']) writeFileSync(path.join(work, name), '')
    mkdirSync(path.join(work, 'agent'))
    writeFileSync(path.join(work, 'agent/key'), '')
    const found = open(await bundle('daemon/looks/look-main.ts'), [path.join(work, 'denied.ts')])
    expect(await found.find('s1', '')).toEqual({ files: ['a.ts'], complete: true })
    await expect(found.find('s2', '')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it('[FLOW-7] waits for no folder that does not answer, and takes no more than a few questions meanwhile', async () => {
    const found = open(hung(), [], 300)
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => found.find('s1', 'a')))
    const codes = answers.map((one) => (one.status === 'rejected' ? one.reason.code : 'answered'))
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(12)
    expect(codes.filter((code) => code === 'FOLDER_UNAVAILABLE')).toHaveLength(8)
  })
})
