/**
 * On whose behalf the programs of a tree act. A program does what the texts that reach it say, and sessions of a tree read each other.
 * So what it asks needs the rights of the person who allowed spawning and of everybody who gave text to a session of the tree (TREE-2.9).
 */
import { CodedError } from '@roundhouse/backend-types'
import { type AccessObject, type Actor, can, type Right } from '../access/access'
import { rightsOf } from '../access/standing'
import { hubActor } from '../commands/hub-actor'
import type { Reads } from '../ports/stores'
import type { PersonTx } from '../writes/write-as'
import type { Asking } from './asking'
import { personActor } from './judge-tree'

type Standings = Pick<Reads['people'], 'standing'> | Pick<PersonTx['people'], 'standing'>

export class TreePeople {
  /** `actor`: the person who allowed it. */
  constructor(
    readonly actor: Actor,
    private readonly others: readonly string[],
    private readonly now: () => number,
  ) {}

  /** By their rights as they are read now: in the transaction of a write, by its own reads. */
  async may(people: Standings, right: Right, target: AccessObject): Promise<boolean> {
    if (!can(this.actor, right, target)) return false
    for (const id of this.others) {
      const rights = rightsOf(await people.standing({ kind: 'person', id }), this.now())
      if (!rights || !can(rights, right, target)) return false
    }
    return true
  }

  async require(people: Standings, right: Right, target: AccessObject): Promise<void> {
    if (await this.may(people, right, target)) return
    const why = can(this.actor, right, target)
      ? 'Somebody who gave text to a session of this tree may not do this on that machine.'
      : 'The person who allowed this tree to start sessions may not do this on that machine.'
    throw new CodedError('FORBIDDEN', why, { action: right })
  }
}

/** Throws where the person who allowed it may not control the session that asks any more. */
export async function requirePeople(
  { now, reads }: { now: () => number; reads: Pick<Reads, 'people' | 'trees'> },
  { tree, session, rootId }: Asking,
): Promise<TreePeople> {
  if (!tree) throw new CodedError('SPAWNING_OFF')
  if (tree.stoppedAt !== null) throw new CodedError('TREE_STOPPED')
  const standing = await reads.people.standing({ kind: 'person', id: tree.personId })
  const actor = personActor(tree, standing, now())
  if (!actor || !can(actor, 'session.control', session))
    throw new CodedError('FORBIDDEN', 'The person who allowed this may not control this session any more.')
  const authors = await reads.trees.authors(rootId)
  const others = authors.filter((id) => id !== tree.personId && id !== hubActor.userId)
  return new TreePeople(actor, others, now)
}
