/** What the hub's file holds without the WAL beside it: as a copy of the one file has it, or a disk that lost the other. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { HubRest } from '@roundhouse/hub-client'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { freshFolder, repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import { HubProcess } from '../support/processes/hub-process'

const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function folder(name: string): string {
  const made = freshFolder(name)
  ends.push(() => rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
  return made
}

/** The rows of one column in a copy of the file, made without what lies beside it; none where there is no such table yet. */
function alone(dataDir: string, sql: string): unknown[] {
  const copy = path.join(folder('copy'), 'hub.db')
  copyFileSync(path.join(dataDir, 'hub.db'), copy)
  const db = new Database(copy)
  try {
    return db.prepare(sql).pluck().all()
  } catch (error) {
    if (String(error).includes('no such table')) return []
    throw error
  } finally {
    db.close()
  }
}

const tokens = (dataDir: string) => alone(dataDir, 'SELECT name FROM EnrollmentToken')

async function startedHub(): Promise<HubProcess> {
  const hub = new HubProcess(folder('hub'))
  ends.push(() => hub.stop())
  await hub.start()
  return hub
}

/** What is written and not in the file alone when the hub is killed; in the rare case that it is, another one. */
async function unfolded(hub: HubProcess, rest: HubRest, n = 0): Promise<string> {
  const name = `machine ${n}`
  await rest.makeEnrollmentToken({ name })
  await hub.kill()
  if (!tokens(hub.dataDir).includes(name)) return name
  await hub.start()
  return unfolded(hub, rest, n + 1)
}

describe("the hub's file without its WAL", () => {
  it('[STORE-8.1] has what the first start made, once that is up', async () => {
    const { dataDir } = await startedHub()
    expect(alone(dataDir, 'SELECT id FROM Setup')).toEqual([1])
  })

  it('[STORE-8] has what a hub wrote that was killed, once the next one is up', async () => {
    const hub = await startedHub()
    await hub.makeOwner()
    const name = await unfolded(hub, (await hub.client()).rest)
    await hub.start()
    expect(tokens(hub.dataDir)).toContain(name)
  })
})

const noTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0

describe("the hub's secret", () => {
  it.skipIf(noTrace)('[STORE-8.2] is flushed, and then its name, before anybody reads it', async () => {
    const [dataDir, seen] = [folder('hub'), path.join(folder('trace'), 'calls')]
    const env = {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      PORT: '0',
      ROUNDHOUSE_DATA_DIR: dataDir,
    } as const
    const calls = 'trace=open,openat,fsync,fdatasync,rename,renameat,renameat2'
    const server = path.join(repoRoot, 'apps/hub/dist/server.js')
    const traced = spawn('strace', ['-y', '-e', calls, '-o', seen, process.execPath, server], { env, stdio: 'ignore' })
    const exited = once(traced, 'exit')
    const file = path.join(dataDir, 'hub.json')
    const hubPid = () => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid : null)
    ends.push(async () => {
      // The hub is its only child, and it ends with that.
      const children = `/proc/${traced.pid}/task/${traced.pid}/children`
      if (existsSync(children))
        for (const pid of readFileSync(children, 'utf8').split(' ').filter(Boolean))
          process.kill(Number(pid), 'SIGKILL')
      await exited
    })
    const pid = await until('the hub to be up', hubPid)
    process.kill(pid, 'SIGTERM')
    await exited
    const secret = path.join(dataDir, 'secret')
    const lines = readFileSync(seen, 'utf8').split('\n')
    const at = (call: RegExp, from = 0) => lines.findIndex((line, n) => n >= from && call.test(line))
    const flushed = at(new RegExp(`^f(data)?sync\\(\\d+<${secret}\\.\\d+>\\)\\s+= 0`))
    const named = at(new RegExp(`^rename(at2?)?\\(.*"${secret}\\.\\d+".*"${secret}"`), flushed)
    const nameFlushed = at(new RegExp(`^f(data)?sync\\(\\d+<${dataDir}>\\)\\s+= 0`), named)
    const read = at(new RegExp(`^open(at)?\\(.*"${secret}", O_RDONLY`))
    const order = [flushed, named, nameFlushed, read]
    expect(order, lines.filter((line) => line.includes(dataDir)).join('\n')).not.toContain(-1)
    expect(order).toEqual([...order].sort((a, b) => a - b))
  })
})
