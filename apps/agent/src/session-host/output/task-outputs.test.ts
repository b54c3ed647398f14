import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LiveFrame, ReportedTask } from '@roundhouse/backend-types'
import { applyFrame, closeBlocks, emptyBlocks } from '@roundhouse/delivery'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { createRedactor } from '../../redact/redactor'
import { LiveBlocks } from './live-blocks'
import { TaskOutputs } from './task-outputs'

let dir: TempDir
let running: Set<string>
let outputs: TaskOutputs
let viewer: ReturnType<typeof emptyBlocks>
const path = 'tasks/b1.output'
const file = () => join(dir.path, 'claude', path)
const task = (over: Partial<ReportedTask> = {}): ReportedTask => {
  return { taskId: 'b1', kind: 'command', label: 'npm run dev', callId: 'call', canStop: true, ...over }
}
const withFile = () => task({ outputFile: { folder: join(dir.path, 'claude'), path } })
const told = (...tasks: ReportedTask[]) => {
  running = new Set(tasks.flatMap(({ callId }) => callId ?? []))
  outputs.told('p1', tasks)
}
const shown = () => viewer.open.map(({ callId, text }) => [callId, text])
const later = () => vi.advanceTimersByTime(1_000)

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  dir = tempDir('outputs')
  mkdirSync(join(dir.path, 'claude/tasks'), { recursive: true })
  viewer = emptyBlocks()
  const take = (frame: LiveFrame) => {
    const applied = applyFrame(viewer, frame)
    expect(applied.ask).toBeNull()
    viewer = applied.blocks
  }
  const live = new LiveBlocks({
    sessionId: 's1',
    folder: join(dir.path, 'spool'),
    redact: createRedactor([]),
    send: (frames) => frames.forEach(take),
  })
  outputs = new TaskOutputs({ live, lastSeq: () => 7, running: () => running, denied: () => [] })
})
afterEach(() => {
  outputs.dispose()
  vi.useRealTimers()
  dir.remove()
})

describe('[LOG-5.16] what a command in the background prints', () => {
  it('is read from the file that its program names, as it grows', () => {
    told(task())
    later()
    writeFileSync(file(), 'Listening on 3000\n')
    later()
    expect(shown()).toEqual([])
    told(withFile())
    later()
    expect(shown()).toEqual([['call', 'Listening on 3000\n']])
    appendFileSync(file(), 'GET /\n')
    later()
    expect(shown()).toEqual([['call', 'Listening on 3000\nGET /\n']])
  })

  it('is what the program tells of the call', () => {
    expect(outputs.heard('call', 'too early')).toBe(false)
    told(task())
    expect(outputs.heard('call', 'one\n')).toBe(true)
    expect(outputs.heard('other', 'one\n')).toBe(false)
    later()
    expect(shown()).toEqual([['call', 'one\n']])
  })

  it('is left to the helper where that is no command', () => {
    told(task({ kind: 'helper' }))
    expect(outputs.heard('call', 'Reads a file')).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('[LOG-7] outlives the turns', () => {
    told(task())
    outputs.heard('call', 'one\n')
    later()
    viewer = closeBlocks(viewer, { kind: 'turn_completed', turnId: 't', reason: 'completed' }, 9)
    outputs.heard('call', 'two\n')
    later()
    expect(shown()).toEqual([['call', 'one\ntwo\n']])
  })

  it('shows its end where there is much of it', () => {
    told(withFile())
    for (let n = 0; n < 40; n++) {
      appendFileSync(file(), `${n}: ${'x'.repeat(90)}\n`.repeat(100))
      later()
    }
    const [[, text = ''] = []] = shown()
    expect(text.length).toBeLessThan(70_000)
    expect(text.endsWith(`39: ${'x'.repeat(90)}\n`)).toBe(true)
  })

  it('shows no secret', () => {
    told(withFile())
    writeFileSync(file(), `key ghp_${'a1B2'.repeat(9)}\n`)
    later()
    expect(shown()).toEqual([['call', 'key [redacted:github-token]\n']])
  })

  it('goes when the command ends, and so does the timer', () => {
    told(task(), task({ taskId: 'b2', callId: 'second' }))
    outputs.heard('call', 'one\n')
    outputs.heard('second', 'two\n')
    later()
    told(task({ taskId: 'b2', callId: 'second' }))
    expect(shown()).toEqual([['second', 'two\n']])
    running = new Set()
    later()
    expect(shown()).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
