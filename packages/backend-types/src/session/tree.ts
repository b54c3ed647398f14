/** A tree of sessions: a session whose program may start others, these, and theirs. */
import { z } from 'zod'
import { Id, Millis } from '../common/ids'

export const treeLimits = {
  /** A child of the root has depth 1. */
  depth: 3,
  /** That one session starts, whatever became of them. */
  children: 8,
} as const

const Usd = z.number().positive().max(1_000_000)
const Tokens = z.number().int().positive().max(1_000_000_000_000)

/** What the whole tree may cost. */
export const TreeBudget = z.object({ budgetUsd: Usd.optional(), budgetTokens: Tokens.optional() })
export type TreeBudget = z.infer<typeof TreeBudget>

const hasBudget = ({ budgetUsd, budgetTokens }: TreeBudget) => budgetUsd !== undefined || budgetTokens !== undefined
const needsBudget = { path: ['budgetUsd'], message: 'Set a budget in US dollars, in tokens, or both.' }

/** At New session: the session may start others, within this budget. */
export const SpawningWanted = TreeBudget.refine(hasBudget, needsBudget)

export const SpawningRequest = TreeBudget.extend({ on: z.boolean() }).refine(
  ({ on, ...budget }) => !on || hasBudget(budget),
  needsBudget,
)
export type SpawningRequest = z.infer<typeof SpawningRequest>

/** On the root of a tree: who lets it start sessions. `null`: it does so no more. */
export const Spawning = TreeBudget.extend({
  /** The person's id. */
  by: z.string(),
  byName: z.string(),
  at: Millis,
  /** What the turns of the tree have cost since then. */
  costUsd: z.number().min(0),
  tokens: z.number().min(0),
})
export type Spawning = z.infer<typeof Spawning>

export const TreeStopReason = z.enum(['person', 'rights', 'budget', 'deleted'])
export type TreeStopReason = z.infer<typeof TreeStopReason>

/** On each session of a tree. A session that no other one started, and may start none, has none of these. */
export const TreePlace = z.object({
  /** The session that started it. */
  parentId: Id.optional(),
  rootId: Id.optional(),
  spawning: Spawning.nullable().optional(),
  /** All sessions of the tree end. */
  treeStopped: z.object({ at: Millis, why: TreeStopReason }).optional(),
})
export type TreePlace = z.infer<typeof TreePlace>

export const TreeStopped = z.object({ rootId: Id, sessionIds: z.array(Id) })
export type TreeStopped = z.infer<typeof TreeStopped>
