import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionFiles } from '../../host-contract/paths'
import { SessionLog } from '../../log/session-log'
import { createRedactor } from '../../redact/redactor'
import { SessionLogs } from './session-logs'

let root: string
let logs: SessionLogs
let damaged: string[]

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'roundhouse-logs-'))
  damaged = []
  logs = new SessionLogs(root, {
    hadEvents: () => true,
    damaged: (sessionId) => damaged.push(sessionId),
    log: () => {},
  })
})
afterEach(() => {
  logs.close()
  rmSync(root, { recursive: true })
})

const folder = () => path.join(root, 's1')
const file = () => sessionFiles(folder()).log
const limits = { maxEvents: 10, maxBytes: 1_000_000 }
const kinds = () => logs.read('s1', 0, 9, limits)?.events.map(({ kind }) => kind)

async function write(times: number): Promise<void> {
  mkdirSync(folder(), { recursive: true })
  const log = SessionLog.open(folder(), { redact: createRedactor([]), now: () => 1 })
  for (let count = 0; count < times; count += 1) await log.append({ kind: 'plan', items: [] })
  log.close()
}

it('[STORE-3.2] what a host has written and not folded in yet is seen without opening the log', async () => {
  await write(1)
  const log = SessionLog.open(folder(), { redact: createRedactor([]), now: () => 1 })
  utimesSync(file(), 1_000, 1_000)
  utimesSync(`${file()}-wal`, 1_005, 1_005)
  expect(logs.stamp('s1')).toBe(1_005_000)
  log.close()
})

describe('[REB-1] a log that the daemon has open', () => {
  it('[REB-1.22] is found gone when its file was deleted, whoever still writes it', async () => {
    await write(1)
    expect(kinds()).toEqual(['plan'])
    rmSync(file())
    expect(kinds()).toBeUndefined()
    expect(damaged).toEqual(['s1'])
  })

  it('is read anew when another file took its place', async () => {
    await write(1)
    expect(kinds()).toEqual(['plan'])
    copyFileSync(file(), `${file()}.copy`)
    await write(1)
    expect(kinds()).toEqual(['plan', 'plan'])
    renameSync(`${file()}.copy`, file())
    expect(kinds()).toEqual(['plan'])
    expect(damaged).toEqual([])
  })

  it('is not gone while its whole folder is away', async () => {
    await write(1)
    expect(kinds()).toEqual(['plan'])
    renameSync(folder(), `${folder()}.away`)
    expect(kinds()).toBeUndefined()
    renameSync(`${folder()}.away`, folder())
    expect(kinds()).toEqual(['plan'])
    expect(damaged).toEqual([])
  })
})

/** What this process has read from files until now. */
const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

it.skipIf(process.platform !== 'linux')(
  '[REB-1] [FLOW-3] a large log that is damaged is read at its beginning, and a host is told to see to it',
  () => {
    const mib = 1024 * 1024
    mkdirSync(folder())
    for (const name of [file(), `${file()}-wal`]) {
      writeFileSync(name, 'this is no database')
      truncateSync(name, 256 * mib)
    }
    const before = bytesRead()
    expect(kinds()).toBeUndefined()
    expect(bytesRead() - before).toBeLessThan(16 * mib)
    expect(damaged).toEqual(['s1'])
  },
)
