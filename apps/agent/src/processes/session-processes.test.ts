import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { identify, isRunning, signal } from './identity'
import { listMarked, readProcess } from './scan'
import { selectSessionProcesses } from './session-processes'

const row = (pid: number, ppid: number, start = `s${pid}`, zombie = false) => ({ pid, ppid, start, zombie })
const known = (pid: number) => ({ pid, start: `s${pid}`, bootId: 'boot' })

describe('[RES-6] the processes of a session', () => {
  const rows = [row(1, 0), row(10, 1), row(11, 10), row(12, 11), row(20, 1), row(30, 1)]

  it('are those recorded with their descendants, and whoever carries the mark', () => {
    const found = selectSessionProcesses(rows, [known(10)], new Set([30]), 'boot', new Set())
    expect(found.map(({ pid }) => pid)).toEqual([10, 11, 12, 30])
  })

  it('are none of another boot, another start time, or already dead', () => {
    const others = [
      { ...known(10), bootId: 'before' },
      { ...known(20), start: 'reused' },
    ]
    expect(selectSessionProcesses(rows, others, new Set(), 'boot', new Set())).toEqual([])
    const zombies = [row(10, 1, 's10', true)]
    expect(selectSessionProcesses(zombies, [known(10)], new Set([10]), 'boot', new Set())).toEqual([])
  })

  it('never include the one that asks, nor what hangs below it alone', () => {
    const found = selectSessionProcesses(rows, [known(10)], new Set([11]), 'boot', new Set([11]))
    expect(found.map(({ pid }) => pid)).toEqual([10])
  })
})

describe('a process of this machine', () => {
  it('is known by pid and start time, is found by its mark, and is gone when it has ended', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      env: { ROUNDHOUSE_SESSION: `test-${process.pid}` },
      stdio: 'ignore',
    })
    const exited = new Promise((resolve) => child.once('exit', resolve))
    await new Promise((resolve) => child.once('spawn', resolve))
    const identity = identify(child.pid ?? 0)
    if (!identity) throw new Error('it runs')
    expect(isRunning(identity)).toBe(true)
    expect(isRunning({ ...identity, start: '0' })).toBe(false)
    expect(isRunning({ ...identity, bootId: 'another' })).toBe(false)
    expect([...listMarked(`test-${process.pid}`)]).toEqual([child.pid])
    expect(readProcess(child.pid ?? 0)?.ppid).toBe(process.pid)
    expect(signal({ ...identity, start: '0' }, 'SIGKILL')).toBe(false)
    expect(signal(identity, 'SIGKILL')).toBe(true)
    await exited
    expect(isRunning(identity)).toBe(false)
    expect(signal(identity, 'SIGKILL')).toBe(false)
  })
})
