import { Topic, TopicPattern } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { matchesTopic, readTopic } from './topics'

describe('[BUS-1] a topic', () => {
  it.each([
    ['worker.p7.boot', { space: 'worker', peerId: 'p7', name: 'boot' }],
    ['worker.p_AbCd.boot', { space: 'worker', peerId: 'p_AbCd', name: 'boot' }],
    ['cmd.p7.set_phase', { space: 'cmd', peerId: 'p7', name: 'set_phase' }],
    ['cmd.role.worker', { space: 'role', role: 'worker' }],
    ['task.t1.note', { space: 'task', taskId: 't1', name: 'note' }],
    ['task.t1.step.done', { space: 'task', taskId: 't1', name: 'step.done' }],
    ['system.peer.joined', { space: 'system', name: 'peer.joined' }],
  ])('%s is read', (topic, parts) => {
    expect(readTopic(topic)).toEqual(parts)
  })

  it.each([
    'worker',
    'worker.p7',
    'task.t1',
    'cmd.role',
    'cmd.role.worker.abort',
    'other.p7.boot',
    'worker..boot',
    'worker.p 7.boot',
    'worker.*.boot',
    `worker.${'x'.repeat(65)}.boot`,
    '',
  ])('%j names nothing', (topic) => {
    expect(readTopic(topic)).toBeNull()
  })
})

describe('[BUS-1] a pattern', () => {
  it.each([
    ['worker.p7.boot', 'worker.p7.boot', true],
    ['worker.*.boot', 'worker.p7.boot', true],
    ['worker.*.boot', 'worker.p7.phase', false],
    ['worker.*', 'worker.p7.phase', false],
    ['worker.**', 'worker.p7.phase', true],
    ['**', 'system.peer.left', true],
    ['**.phase', 'worker.p7.phase', true],
    ['system.**.left', 'system.peer.left', true],
    ['system.peer.left.**', 'system.peer.left', true],
    ['**.*.**', 'task.t1', true],
    ['**.**.x', 'task.t1', false],
    ['worker.*.*.*', 'worker.p7.phase', false],
  ])('%s reaches %s: %s', (pattern, topic, reaches) => {
    expect(matchesTopic(pattern, topic)).toBe(reaches)
  })

  it('is no expression: other signs are refused, and six segments are the most', () => {
    const bad = ['', '.', 'a.', '***', 'a*', 'worker.[a-z]', '(a+)+', 'a.b.c.d.e.f.g']
    expect(bad.filter((pattern) => TopicPattern.safeParse(pattern).success)).toEqual([])
    expect(Topic.safeParse('a.b.c.d.e.f.g').success).toBe(false)
  })

  it('agrees with a plain search for every short pattern and topic', () => {
    const plain = (pattern: string[], topic: string[]): boolean => {
      const [first, ...others] = pattern
      if (first === undefined) return topic.length === 0
      if (first === '**') return plain(others, topic) || (topic.length > 0 && plain(pattern, topic.slice(1)))
      return topic.length > 0 && (first === '*' || first === topic[0]) && plain(others, topic.slice(1))
    }
    const words = (signs: string[], length: number): string[][] =>
      length === 0 ? [[]] : words(signs, length - 1).flatMap((word) => signs.map((sign) => [...word, sign]))
    const upTo = (signs: string[]) => [1, 2, 3, 4].flatMap((length) => words(signs, length))
    const wrong = upTo(['a', '*', '**']).flatMap((pattern) =>
      upTo(['a', 'b']).filter((topic) => matchesTopic(pattern.join('.'), topic.join('.')) !== plain(pattern, topic)),
    )
    expect(wrong).toEqual([])
  })
})
