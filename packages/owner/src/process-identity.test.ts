import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { bootId, hadBegun, identify, isRunning, signal } from './process-identity'
import { listProcesses, readByPs, readProcess } from './process-table'

it('[RES-6.1] a process is the same by number, start and boot, and gone when it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await once(child, 'spawn')
  const identity = identify(child.pid ?? 0)
  if (!identity) throw new Error('it runs')
  expect(identity.bootId).toBe(bootId())
  expect(isRunning(identity)).toBe(true)
  expect(readProcess(identity.pid)?.ppid).toBe(process.pid)
  expect(listProcesses()).toContainEqual(
    expect.objectContaining({ pid: identity.pid, ppid: process.pid, start: identity.start, zombie: false }),
  )
  // Another process that has the number by now, or had it before the last boot, is never ended.
  for (const other of [{ start: '0' }, { bootId: 'another' }]) {
    expect(isRunning({ ...identity, ...other })).toBe(false)
    expect(signal({ ...identity, ...other }, 'SIGKILL')).toBe(false)
  }
  expect(signal(identity, 'SIGKILL')).toBe(true)
  await exited
  expect(isRunning(identity)).toBe(false)
  expect(signal(identity, 'SIGKILL')).toBe(false)
  expect(identify(identity.pid)).toBeNull()
})

it.runIf(process.platform === 'linux')(
  '[RES-6] a process that ended and was not waited for by its parent runs no more',
  async () => {
    // The child ends with its input; by then the `exec` has taken the one away who would have waited for it.
    const script = 'cat <&3 & echo $!; exec sleep 600 3<&-'
    const parent = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] })
    const exited = once(parent, 'exit')
    const [said] = await once(parent.stdio[1] as Readable, 'data')
    const zombie = Number(said)
    const isSleep = () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() === 'sleep'
    await expect.poll(isSleep, { timeout: 20_000 }).toBe(true)
    ;(parent.stdio[3] as Writable).end()
    await expect.poll(() => readProcess(zombie)?.zombie, { timeout: 20_000 }).toBe(true)
    expect(identify(zombie)).toBeNull()
    parent.kill('SIGKILL')
    await exited
  },
)

it('[STORE-5.6] a process had begun by the time at which it wrote, and not long before', () => {
  expect(hadBegun(process.pid, Date.now())).toBe(true)
  expect(hadBegun(process.pid, Date.now() - process.uptime() * 1000 - 60_000)).toBe(false)
  expect(hadBegun(0, Date.now())).toBe(false)
})

it.runIf(existsSync('/bin/ps'))('[RES-6] where there is no /proc, its start does not depend on the time zone', () => {
  const before = process.env.TZ
  const read = (zone: string) => {
    process.env.TZ = zone
    return readByPs(process.ppid)
  }
  const all = ['UTC', 'Asia/Tokyo', 'America/New_York'].map(read)
  if (before === undefined) delete process.env.TZ
  else process.env.TZ = before
  expect(all[0]).toMatchObject({
    pid: process.ppid,
    zombie: false,
    start: expect.stringMatching(/\d\d:\d\d:\d\d \d{4}$/),
  })
  expect(all[1]).toEqual(all[0])
  expect(all[2]).toEqual(all[0])
})
