import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { canSeeMarks, MARK, processesWithMark } from './leftovers'

it.runIf(canSeeMarks)('a process that carries the mark is found, and not found once it is gone', async () => {
  const mark = `test-${process.pid}`
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log()'], { env: { [MARK]: mark } })
  await once(child.stdout, 'data')
  expect(processesWithMark(mark).map(({ pid }) => pid)).toEqual([child.pid])
  expect(processesWithMark('another')).toEqual([])
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(processesWithMark(mark)).toEqual([])
})
