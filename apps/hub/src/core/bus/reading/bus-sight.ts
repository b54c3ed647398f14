/** Who may see what on the bus, as one table. A message that somebody may not see is not delivered, whatever they subscribe to. Pure. */
import { readTopic } from '@roundhouse/bus'
import { type Actor, can, reaches } from '../../access/access'
import type { BusAudience, BusRow, PeerRow } from '../../ports/bus-store'

export interface Viewer {
  actor: Actor
  peerId: string
  role: 'worker' | 'orchestrator' | 'reader'
  /** The people who assigned this task to this peer. */
  taskOwners: (peerId: string, taskId: string) => ReadonlySet<string>
  /** Whether this person may still conduct, and still sees it. */
  ownerSees: (ownerId: string, audience: BusAudience) => boolean
}

type Seen = Pick<BusRow, 'topic' | 'fromPeer' | 'subject' | 'agentId' | 'userId'>

export const isAudience = (actor: Pick<Actor, 'userId' | 'agents'>, { agentId, userId }: BusAudience): boolean =>
  actor.agents === null || userId === actor.userId || (agentId !== null && reaches(actor, agentId))

const ofOwnPeople = ({ actor }: Pick<Viewer, 'actor'>, seen: BusAudience): boolean => isAudience(actor, seen)

/** Only what concerns it: its own words, what is said to it or of it, and its tasks. */
function concerns(viewer: Viewer, seen: Seen): boolean {
  const { topic, fromPeer, subject, userId } = seen
  if (fromPeer === viewer.peerId || subject === viewer.peerId) return true
  const parts = readTopic(topic)
  if (parts?.space === 'role') return parts.role === viewer.role && userId === viewer.actor.userId
  return parts?.space === 'task' && sharesTask(viewer, seen, parts.taskId)
}

/** Said on a task of a person who assigned it to the viewer, and who still sees both the viewer and what is said. */
function sharesTask(viewer: Viewer, seen: Seen, taskId: string): boolean {
  const publishers = viewer.taskOwners(seen.fromPeer, taskId)
  const ofViewer = { agentId: null, userId: viewer.actor.userId }
  return [...viewer.taskOwners(viewer.peerId, taskId)].some((owner) => {
    const isTheirs = owner === seen.userId || publishers.has(owner)
    const mayShow = viewer.ownerSees(owner, ofViewer) && viewer.ownerSees(owner, seen)
    return isTheirs && mayShow && (owner !== viewer.actor.userId || ofOwnPeople(viewer, seen))
  })
}

const table: Readonly<Record<Viewer['role'], (viewer: Viewer, seen: Seen) => boolean>> = {
  reader: ofOwnPeople,
  orchestrator: (viewer, seen) => ofOwnPeople(viewer, seen) || concerns(viewer, seen),
  worker: concerns,
}

export const maySee = (viewer: Viewer, row: Seen): boolean => table[viewer.role](viewer, row)

/** Who looks at the peers, and in which role. */
export type PeerViewer = Pick<Viewer, 'actor' | 'peerId' | 'role'>

export const maySeePeer = (viewer: PeerViewer, peer: PeerRow): boolean =>
  peer.peerId === viewer.peerId || (viewer.role !== 'worker' && ofOwnPeople(viewer, peer))

/** Null: somebody who has nothing to look for on the bus. */
export function sightOf(actor: Actor, role: 'worker' | 'orchestrator' | null): Viewer['role'] | null {
  if (role === 'orchestrator') return role
  if (can(actor, 'session.read')) return 'reader'
  return role
}
