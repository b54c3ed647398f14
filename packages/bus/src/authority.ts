/**
 * Who may publish where, as one table. What somebody may see is the hub's to decide: it needs the rights of people. A
 * refusal has the words of the convention's section 10.
 */
import { readTopic, type TopicParts } from './topics'

/** `session`: a managed session speaks through its own log. */
export type PublisherKind = 'session' | 'worker' | 'orchestrator'

export interface Publisher {
  kind: PublisherKind
  peerId: string
  /** The tasks that an orchestrator assigned to it. */
  hasTask: (taskId: string) => boolean
}

type Rule = (publisher: Publisher, topic: TopicParts) => string | null

const yes: Rule = () => null
const no =
  (reason: string): Rule =>
  () =>
    reason

const onlyHub = no('publish forbidden: only the hub publishes on system.*')
const onlyOrchestrators = no('publish forbidden: only orchestrators publish on cmd.*')

const own: Rule = (publisher, topic) =>
  topic.space === 'worker' && topic.peerId === publisher.peerId ? null : 'publish forbidden: not your topic'

const assigned: Rule = (publisher, topic) =>
  topic.space === 'task' && publisher.hasTask(topic.taskId) ? null : 'publish forbidden: not your task'

/** The hub makes these from the session's own events, so a program cannot claim them. */
const derived: readonly string[] = ['boot', 'heartbeat']
const ownWords: Rule = (publisher, topic) =>
  topic.space === 'worker' && topic.peerId === publisher.peerId && derived.includes(topic.name)
    ? `publish forbidden: the hub publishes the ${topic.name} of a session`
    : own(publisher, topic)

const table: Readonly<Record<PublisherKind, Readonly<Record<TopicParts['space'], Rule>>>> = {
  session: { worker: ownWords, task: assigned, cmd: onlyOrchestrators, role: onlyOrchestrators, system: onlyHub },
  worker: { worker: own, task: assigned, cmd: onlyOrchestrators, role: onlyOrchestrators, system: onlyHub },
  // An orchestrator is a peer too: what it says about itself is on its own topics.
  orchestrator: { worker: own, task: yes, cmd: yes, role: yes, system: onlyHub },
}

/** Null: it may. Else why not. */
export function publishRefusal(publisher: Publisher, topic: string): string | null {
  const parts = readTopic(topic)
  if (!parts) return 'publish forbidden: no such topic'
  return table[publisher.kind][parts.space](publisher, parts)
}
