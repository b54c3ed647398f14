import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { descendantsOf, signalAll } from './descendants'

const sleeper = 'setInterval(() => {}, 1000)'
/** Prints the pid of its child, which is in a session of its own. */
const parent = `const c = require('child_process').spawn(process.execPath, ['-e', '${sleeper}'], { detached: true, stdio: 'ignore' }); console.log(c.pid); ${sleeper}`
const started: number[] = []

afterEach(() => {
  for (const pid of started.splice(0)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Already gone.
    }
  }
})

async function family() {
  const top = spawn(process.execPath, ['-e', parent], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(top.stdout, 'data')
  const child = Number(String(line))
  started.push(top.pid ?? 0, child)
  return { top: top.pid ?? 0, child, ended: once(top, 'exit') }
}

describe.runIf(process.platform === 'linux')('descendants', () => {
  it('are found below a process, whatever session they are in, and not elsewhere', async () => {
    const { top, child } = await family()
    expect(descendantsOf(top).map(({ pid }) => pid)).toEqual([child])
    expect(descendantsOf(child)).toEqual([])
    expect(descendantsOf(process.pid).map(({ pid }) => pid)).toEqual(expect.arrayContaining([top, child]))
  })

  it('get a signal only while they are the process that was noted', async () => {
    const { top, ended } = await family()
    const mark = descendantsOf(process.pid).find(({ pid }) => pid === top)
    if (!mark) throw new Error('not found')
    expect(signalAll([{ ...mark, start: 'another time' }], 'SIGKILL')).toBe(0)
    expect(signalAll([mark], 'SIGKILL')).toBe(1)
    await ended
    expect(signalAll([mark], 'SIGKILL')).toBe(0)
  })
})
