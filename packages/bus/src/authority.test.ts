import { describe, expect, it } from 'vitest'
import { type Publisher, type PublisherKind, publishRefusal } from './authority'

const peer = (kind: PublisherKind): Publisher => ({ kind, peerId: 'p7', hasTask: (taskId) => taskId === 't1' })

const topics = [
  'worker.p7.phase',
  'worker.p7.boot',
  'worker.p7.heartbeat',
  'worker.p8.phase',
  'task.t1.note',
  'task.t2.note',
  'cmd.p8.abort',
  'cmd.role.worker',
  'system.peer.left',
  'nothing.at.all',
] as const

const table: Readonly<Record<PublisherKind, Readonly<Record<(typeof topics)[number], boolean>>>> = {
  session: {
    'worker.p7.phase': true,
    'worker.p7.boot': false,
    'worker.p7.heartbeat': false,
    'worker.p8.phase': false,
    'task.t1.note': true,
    'task.t2.note': false,
    'cmd.p8.abort': false,
    'cmd.role.worker': false,
    'system.peer.left': false,
    'nothing.at.all': false,
  },
  worker: {
    'worker.p7.phase': true,
    'worker.p7.boot': true,
    'worker.p7.heartbeat': true,
    'worker.p8.phase': false,
    'task.t1.note': true,
    'task.t2.note': false,
    'cmd.p8.abort': false,
    'cmd.role.worker': false,
    'system.peer.left': false,
    'nothing.at.all': false,
  },
  orchestrator: {
    'worker.p7.phase': true,
    'worker.p7.boot': true,
    'worker.p7.heartbeat': true,
    'worker.p8.phase': false,
    'task.t1.note': true,
    'task.t2.note': true,
    'cmd.p8.abort': true,
    'cmd.role.worker': true,
    'system.peer.left': false,
    'nothing.at.all': false,
  },
}

describe('[BUS-4] who may publish where', () => {
  it.each(Object.keys(table) as PublisherKind[])('as %s', (kind) => {
    const may = Object.fromEntries(topics.map((topic) => [topic, publishRefusal(peer(kind), topic) === null]))
    expect(may).toEqual(table[kind])
  })

  it('says why in the words of the convention', () => {
    expect(publishRefusal(peer('worker'), 'worker.p8.phase')).toBe('publish forbidden: not your topic')
  })
})
