/** What a topic names, and which topics a pattern matches. */
import { isTopic } from '@roundhouse/backend-types'

export type TopicParts =
  | { space: 'worker'; peerId: string; name: string }
  | { space: 'cmd'; peerId: string; name: string }
  | { space: 'role'; role: string }
  | { space: 'task'; taskId: string; name: string }
  | { space: 'system'; name: string }

/** Null: no topic of the convention. `cmd.role.<role>` is for everybody with that role, so no peer is called "role". */
export function readTopic(topic: string): TopicParts | null {
  if (!isTopic(topic)) return null
  const [space, first = '', ...others] = topic.split('.')
  const name = others.join('.')
  if (space === 'system') return { space, name: topic.slice('system.'.length) }
  if (name === '') return null
  if (space === 'cmd' && first === 'role') return others.length === 1 ? { space: 'role', role: name } : null
  if (space === 'worker' || space === 'cmd') return { space, peerId: first, name }
  if (space === 'task') return { space, taskId: first, name }
  return null
}

/** `*` stands for one segment, `**` for any number of them, also none. */
export const matchesTopic = (pattern: string, topic: string): boolean => topicMatcher([pattern])(topic)

/** The patterns of one subscriber, which are asked for each message of the hub: most topics fail at their first letters. */
export function topicMatcher(patterns: readonly string[]): (topic: string) => boolean {
  const read = patterns.map((pattern) => ({ segments: pattern.split('.'), head: headOf(pattern) }))
  return (topic) => read.some(({ head, segments }) => topic.startsWith(head) && matches(segments, topic.split('.')))
}

/** What each topic of a pattern begins with. `worker.**` also matches `worker`, so the dot is not part of it. */
function headOf(pattern: string): string {
  const [head = ''] = pattern.split('*')
  return head.endsWith('.') ? head.slice(0, -1) : head
}

/** Goes back to the newest `**` only, so its work is at most the product of both lengths. */
function matches(pattern: readonly string[], topic: readonly string[]): boolean {
  let at = 0
  let open = -1
  let resumeAt = 0
  for (let i = 0; i < topic.length; ) {
    if (pattern[at] === '**') {
      open = at++
      resumeAt = i
    } else if (pattern[at] === '*' || pattern[at] === topic[i]) {
      at++
      i++
    } else if (open >= 0) {
      at = open + 1
      i = ++resumeAt
    } else return false
  }
  while (pattern[at] === '**') at++
  return at === pattern.length
}
