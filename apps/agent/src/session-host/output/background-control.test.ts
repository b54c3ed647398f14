import type { ReportedTask, SessionEvent } from '@roundhouse/backend-types'
import { beforeEach, describe, expect, it } from 'vitest'
import { BackgroundControl, type BackgroundPorts } from './background-control'
import { BackgroundTasks, TaskList } from './background-tasks'

const task: ReportedTask = { taskId: 'b1', kind: 'command', label: 'npm test', canStop: true, callId: 'call1' }

let stopped: string[]
let events: SessionEvent[]
let discarded: string[]
let running: BackgroundPorts['runner']['running']
let control: BackgroundControl
beforeEach(() => {
  stopped = []
  events = []
  discarded = []
  const stopTask = async (_process: unknown, taskId: string) => void stopped.push(taskId)
  running = { procId: 'p1', adapter: { stopTask }, process: {} } as unknown as typeof running
  control = new BackgroundControl({
    journal: { write: async () => 1, record: async (told: SessionEvent[]) => events.push(...told) },
    runner: {
      get running() {
        return running
      },
    },
    tasks: new BackgroundTasks(
      new TaskList(),
      () => 1,
      (text) => text,
      () => ({}),
    ),
    outputs: { told: () => {} },
    live: { discard: (blockId: string) => discarded.push(blockId) },
    ids: { original: (id: string) => `its-${id}` },
    changed: () => {},
  } as unknown as BackgroundPorts)
})

describe('a task beside the turns', () => {
  it('is stopped by the id of its program, and the log names who asked', async () => {
    control.told([task])
    await control.stop('b1', 'c1')
    expect(stopped).toEqual(['its-b1'])
    expect(events).toMatchObject([
      { kind: 'system', subtype: 'background_ended', commandId: 'c1', data: { why: 'stopped', taskId: 'b1' } },
    ])
  })

  it('that is over, or whose program is gone, has ended already', async () => {
    control.told([task])
    control.told([])
    await expect(control.stop('b1', 'c1')).rejects.toMatchObject({ code: 'ALREADY_ENDED' })
    control.told([task])
    running = null
    await expect(control.stop('b1', 'c1')).rejects.toMatchObject({ code: 'ALREADY_ENDED' })
  })

  it('that cannot be stopped says so', async () => {
    control.told([{ ...task, canStop: false }])
    await expect(control.stop('b1', 'c1')).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    expect(stopped).toEqual([])
  })

  it('takes the live text of its call with it', () => {
    control.told([task])
    control.told([])
    expect(discarded).toHaveLength(1)
    expect(discarded[0]).toContain('call1')
  })
})
