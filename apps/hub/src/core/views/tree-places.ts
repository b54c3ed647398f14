/** Where sessions stand in trees, as people see it: one read for a page of sessions. */
import type { TreePlace } from '@roundhouse/backend-types'
import type { Reads } from '../ports/stores'
import type { StoredPlace, TreeRow } from '../ports/tree-store'

/** Without entries for sessions of no tree. */
export async function treePlaces(
  { trees: store }: Pick<Reads, 'trees'>,
  sessionIds: readonly string[],
): Promise<Map<string, TreePlace>> {
  const places = await store.places(sessionIds)
  return new Map([...places].map(([sessionId, place]) => [sessionId, placeOf(place)]))
}

function placeOf({ node, tree, stopped }: StoredPlace): TreePlace {
  return {
    ...(node ? { parentId: node.parentId, rootId: node.rootId } : {}),
    ...(tree ? { spawning: spawningOf(tree) } : {}),
    ...(stopped ? stoppedOf(stopped) : {}),
  }
}

function spawningOf(tree: TreeRow): TreePlace['spawning'] {
  if (tree.isOff || tree.stoppedAt !== null) return null
  const { personId, personName, at, budgetUsd, budgetTokens, costUsd, tokens } = tree
  return {
    by: personId,
    byName: personName,
    at,
    ...(budgetUsd === null ? {} : { budgetUsd }),
    ...(budgetTokens === null ? {} : { budgetTokens }),
    costUsd,
    tokens,
  }
}

const stoppedOf = ({ stoppedAt, stoppedWhy }: NonNullable<StoredPlace['stopped']>): Pick<TreePlace, 'treeStopped'> =>
  stoppedAt === null ? {} : { treeStopped: { at: stoppedAt, why: stoppedWhy ?? 'person' } }
