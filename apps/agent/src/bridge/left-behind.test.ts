import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { identify } from '@roundhouse/owner'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionFiles } from '../host-contract/paths'
import { HostRecordFile } from '../processes/host-record'
import { endLeftBehind } from './left-behind'
import type { ProgramFolders } from './session/program-place'

let root: string
let folders: ProgramFolders
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'left-behind-'))
  const readMarks = async () => ({ marks: new Map(), unread: new Set<number>() })
  folders = { bridges: path.join(root, 'bridges'), scratch: path.join(root, 'scratch'), reaperEntry: '', readMarks }
  for (const folder of [folders.bridges, folders.scratch]) mkdirSync(folder)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const dirOf = (name: string) => path.join(folders.bridges, name)
const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : [])
const left = () => ({ bridges: namesIn(folders.bridges), scratch: namesIn(folders.scratch) })

/** Without a record yet. */
function begun(name: string): string {
  mkdirSync(path.join(folders.scratch, name, 'tmp'), { recursive: true })
  mkdirSync(dirOf(name))
  return dirOf(name)
}

/** Of a bridge that lives: this process. `by`: of another one. */
function recorded(name: string, by?: object): void {
  const dir = begun(name)
  new HostRecordFile(sessionFiles(dir).host, name, dir, 'bridge', 'launch')
  if (by) writeFileSync(sessionFiles(dir).host, JSON.stringify({ ...recordOf(name), ...by }))
}

const recordOf = (name: string) => ({
  version: 1,
  sessionId: name,
  ...identify(process.pid),
  proto: 2,
  sock: 'bridge',
  procs: [],
})

/** A process that has ended. */
function dead() {
  const { pid } = spawnSync('true')
  return { pid, start: 'gone' }
}

const anHourAgo = Date.now() / 1000 - 3_600

describe('[RES-6] what bridges left behind that are gone', () => {
  it('goes with its temporary files, and what belongs to a bridge that lives stays', async () => {
    recorded('alive')
    recorded('dead', dead())
    // The system gave its number to another process since.
    recorded('other', { start: 'before' })
    await endLeftBehind(folders, () => {})
    expect(left()).toEqual({ bridges: ['alive'], scratch: ['alive'] })
  })

  it('goes also where the bridge was killed while it made or removed the folder, and not while one may still make it', async () => {
    utimesSync(begun('made'), anHourAgo, anHourAgo)
    const removed = begun('removed')
    writeFileSync(sessionFiles(removed).guardNote, '{}')
    utimesSync(removed, anHourAgo, anHourAgo)
    begun('now')
    await endLeftBehind(folders, () => {})
    expect(left()).toEqual({ bridges: ['now'], scratch: ['now'] })
  })

  it('goes also from a copy of the agent’s home, once the bridge that it was copied from is gone', async () => {
    const bridge = spawn('sleep', ['60'])
    recorded('copied', { ...identify(bridge.pid ?? 0), folder: 'elsewhere' })
    await endLeftBehind(folders, () => {})
    expect(left().bridges).toEqual(['copied'])
    bridge.kill('SIGKILL')
    await once(bridge, 'exit')
    await endLeftBehind(folders, () => {})
    expect(left()).toEqual({ bridges: [], scratch: [] })
  })
})
