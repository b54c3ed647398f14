import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { listMarked } from './marked'
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

it('[RES-6] a process is found by the mark that it carries', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    env: { ROUNDHOUSE_SESSION: `test-${process.pid}` },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  await once(child, 'spawn')
  expect([...listMarked(`test-${process.pid}`)]).toEqual([child.pid])
  child.kill('SIGKILL')
  await exited
  expect([...listMarked(`test-${process.pid}`)]).toEqual([])
})
